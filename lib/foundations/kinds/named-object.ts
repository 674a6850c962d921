/** Objects as people name them: with a kind in any form that kubectl takes, too. Pure. */
import type { ObjectRef } from './object.ts'

export interface NamedObject {
  /** A kind, its plural or a common short name, in any case. */
  readonly kind: string
  /** Any group if absent. */
  readonly group?: string
  readonly namespace: string
  readonly name: string
}

const shortNames: Readonly<Record<string, string>> = {
  ...{ cm: 'configmap', deploy: 'deployment', ds: 'daemonset', sts: 'statefulset', svc: 'service', po: 'pod' },
  ...{ ns: 'namespace', sa: 'serviceaccount', ing: 'ingress', pvc: 'persistentvolumeclaim', cj: 'cronjob' },
  ...{ crd: 'customresourcedefinition', hr: 'helmrelease', ks: 'kustomization', hpa: 'horizontalpodautoscaler' },
}

const isKind = (word: string, kind: string): boolean => {
  const requested = shortNames[word.toLowerCase()] ?? word.toLowerCase()
  const lower = kind.toLowerCase()
  return [lower, `${lower}s`, `${lower}es`, lower.replace(/y$/, 'ies')].includes(requested)
}

/** Whether an object is meant. The namespace does not count for objects that have none. */
export const isNamedBy = ({ kind, group, namespace, name }: NamedObject, ref: ObjectRef): boolean =>
  ref.name === name &&
  (ref.namespace === '' || ref.namespace === namespace) &&
  isKind(kind, ref.kind) &&
  (group === undefined || group === ref.group)
