import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { namedTarget } from '../foundations/kinds/target-reference.ts'
import { inheritedTarget } from '../foundations/rules/target.ts'
import type { Lookup } from './local-build.ts'

const appliers = new Set(['Kustomization', 'ResourceSet', 'HelmRelease'])

/**
 * The cluster that a Flux object writes to, as set on it or its Namespace; undefined for the hub itself, and for objects that write
 * nowhere.
 */
export const targetOf = async (object: KubernetesObject, lookup: NonNullable<Lookup>): Promise<string | undefined> => {
  if (!appliers.has(object.kind)) return undefined
  const named = namedTarget(object)
  if (named) return `${named.kind === 'Secret' ? 'kubeconfig in Secret' : named.kind} ${named.namespace}/${named.name}`
  const name = object.metadata.namespace ?? ''
  const namespace = await lookup.get({ group: '', kind: 'Namespace', namespace: '', name }).catch(() => undefined)
  try {
    const reference = inheritedTarget(object, namespace)?.reference
    return reference && `${reference.kind} ${reference.namespace}/${reference.name}, by Namespace ${name}`
  } catch (error) {
    return (error as Error).message
  }
}
