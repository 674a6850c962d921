/** Where the Flux objects of a cluster lie on the hub: in namespaces of their own, and so do the objects that they refer to. */
import { builtInKinds } from '../kinds/all.ts'
import { groupOf, type KubernetesObject } from '../kinds/object.ts'
import { targetAnnotation } from '../kinds/target-reference.ts'
import type { InheritedTarget } from './target.ts'

/** Whether the hub keeps objects of a kind, so that they don't go to clusters. */
export type IsOfHub = (kind: { readonly group: string; readonly kind: string }) => boolean

const fluxKinds = new Set(
  builtInKinds.filter(({ group }) => group.includes('fluxcd')).map(({ group, kind }) => `${group}/${kind}`),
)

/** The kinds of Flux and flux-operator that a hub serves. */
export const isFluxKind: IsOfHub = ({ group, kind }) => fluxKinds.has(`${group}/${kind}`)

/**
 * An object of a build as the hub keeps it: in the namespace that stands for the cluster's, with references to match. What lies in the
 * namespace of an applier that was told its target itself is told the same, unless it names another, as it might in spec.kubeConfig;
 * everywhere else the Namespace tells it.
 */
export const placedOnHub = (
  object: KubernetesObject,
  { prefix, namespace: own, reference, setOn }: InheritedTarget,
  isOfHub: IsOfHub,
): KubernetesObject => {
  const { namespace } = object.metadata
  const isTold = setOn === 'object' && namespace === own
  const target = reference.kind === 'Secret' ? reference.name : `${reference.kind}/${reference.name}`
  const metadata = {
    ...object.metadata,
    ...(namespace && { namespace: prefix + namespace }),
    ...(isTold && { annotations: { [targetAnnotation]: target, ...object.metadata.annotations } }),
  }
  if (prefix === '') return { ...object, metadata }
  const moved = (fieldsOf[object.kind] ?? []).reduce<unknown>(
    (value, path) => changedAt(value, path.split('.'), reference => movedReference(reference, prefix, isOfHub)),
    object,
  ) as KubernetesObject
  return { ...moved, metadata }
}

/** The fields of Flux's kinds whose `namespace` is one of the hub. Where a reference may be to any kind, its kind decides. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  Kustomization: ['spec.sourceRef', 'spec.dependsOn.*', 'spec.healthChecks.*'],
  HelmRelease: ['spec.chart.spec.sourceRef', 'spec.chartRef', 'spec.dependsOn.*'],
  ResourceSet: ['spec.dependsOn.*'],
  ResourceSetInputProvider: ['spec.selectors.*'],
  ExternalArtifact: ['spec.sourceRef'],
  Receiver: ['spec.resources.*'],
  Alert: ['spec.eventSources.*'],
}

type Fields = Readonly<Record<string, unknown>>

const movedReference = (reference: Fields, prefix: string, isOfHub: IsOfHub): Fields => {
  const { namespace, apiVersion, kind } = reference
  if (typeof namespace !== 'string' || namespace === '' || namespace === '*') return reference
  const isElsewhere =
    typeof apiVersion === 'string' && typeof kind === 'string' && !isOfHub({ group: groupOf(apiVersion), kind })
  return isElsewhere ? reference : { ...reference, namespace: prefix + namespace }
}

/** The value with the objects at a path changed; `*` stands for each of a list. What is not there stays so. */
const changedAt = (value: unknown, [field, ...rest]: readonly string[], change: (at: Fields) => Fields): unknown => {
  if (field === '*') return Array.isArray(value) ? value.map(item => changedAt(item, rest, change)) : value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (field === undefined) return change(value as Fields)
  return field in value ? { ...value, [field]: changedAt((value as Fields)[field], rest, change) } : value
}
