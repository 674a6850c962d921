/**
 * Places the Flux objects of a cluster on the hub: in separate namespaces, together with the objects that they refer
 * to.
 */
import { builtInKinds } from '../kinds/all.ts'
import { groupOf, type KubernetesObject } from '../kinds/object.ts'
import { isHubGroup } from '../kinds/references.ts'
import { targetAnnotation } from '../kinds/target-reference.ts'
import type { InheritedTarget } from './target.ts'

/** Whether objects of a kind stay on the hub instead of being applied to clusters. */
export type IsOfHub = (kind: { readonly group: string; readonly kind: string }) => boolean

/** A FluxInstance installs Flux on the cluster that it is applied to. */
const fluxKinds = new Set(
  builtInKinds
    .filter(({ group, kind }) => isHubGroup(group) && kind !== 'FluxInstance')
    .map(({ group, kind }) => `${group}/${kind}`),
)

/** The kinds of Flux and flux-operator that a hub serves. */
export const isFluxKind: IsOfHub = ({ group, kind }) => fluxKinds.has(`${group}/${kind}`)

/**
 * Places an object of a build on the hub: in the namespace that corresponds to the cluster's, with its references adjusted. If the applier has
 * its target in its own annotation, the object in its namespace gets the same annotation, unless it names another target, for instance in
 * spec.kubeConfig; in other namespaces, the Namespace has the annotation.
 */
export const placedOnHub = (
  object: KubernetesObject,
  { prefix, namespace: own, reference, setOn }: InheritedTarget,
  isOfHub: IsOfHub,
): KubernetesObject => {
  const { namespace } = object.metadata
  const isAnnotated = setOn === 'object' && namespace === own
  const target = reference.kind === 'Secret' ? reference.name : `${reference.kind}/${reference.name}`
  const metadata = {
    ...object.metadata,
    ...(namespace && { namespace: prefix + namespace }),
    ...(isAnnotated && { annotations: { [targetAnnotation]: target, ...object.metadata.annotations } }),
  }
  if (prefix === '') return { ...object, metadata }
  const moved = (fieldsOf[object.kind] ?? []).reduce<unknown>(
    (value, path) => changedAt(value, path.split('.'), reference => movedReference(reference, prefix, isOfHub)),
    object,
  ) as KubernetesObject
  return { ...moved, metadata }
}

/** The fields of Flux's kinds whose `namespace` is a hub namespace. If a reference may be to any kind, its kind decides. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  Kustomization: ['spec.sourceRef', 'spec.dependsOn.*', 'spec.healthChecks.*'],
  HelmRelease: ['spec.chart.spec.sourceRef', 'spec.chartRef', 'spec.dependsOn.*'],
  ResourceSet: ['spec.dependsOn.*'],
  ResourceSetInputProvider: ['spec.selectors.*'],
  ExternalArtifact: ['spec.sourceRef'],
  ArtifactGenerator: ['spec.sources.*'],
  ImagePolicy: ['spec.imageRepositoryRef'],
  ImageUpdateAutomation: ['spec.sourceRef'],
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

/** Changes the objects at a path; `*` matches all items of a list. Ignores missing ones. */
const changedAt = (value: unknown, [field, ...rest]: readonly string[], change: (at: Fields) => Fields): unknown => {
  if (field === '*') return Array.isArray(value) ? value.map(item => changedAt(item, rest, change)) : value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (field === undefined) return change(value as Fields)
  return field in value ? { ...value, [field]: changedAt((value as Fields)[field], rest, change) } : value
}
