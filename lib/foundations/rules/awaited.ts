/** The objects that must be ready before another one is reconciled. Pure. */
import { dependencyRefs } from '../kinds/depends-on.ts'
import { groupOf, type KubernetesObject, type ObjectRef } from '../kinds/object.ts'

interface Reference {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
  readonly repository?: { readonly name?: string }
}

/** Kinds that objects of these kinds may depend on. */
const waiting: ReadonlySet<string> = new Set([
  'kustomize.toolkit.fluxcd.io/Kustomization',
  'fluxcd.controlplane.io/ResourceSet',
  'helm.toolkit.fluxcd.io/HelmRelease',
])

/** Those in `dependsOn` and in the annotation, and the repositories that a GitRepository includes; the object may not be valid yet. */
export const awaitedBy = (object: KubernetesObject): readonly ObjectRef[] => {
  const { apiVersion, kind, metadata, spec } = object
  const group = groupOf(apiVersion)
  const own = { group, kind, namespace: metadata.namespace ?? '' }
  const { dependsOn, include } = (spec ?? {}) as Readonly<Record<string, unknown>>
  if (`${group}/${kind}` === 'source.toolkit.fluxcd.io/GitRepository')
    return references(include).map(({ repository }) => ({ ...own, name: repository?.name ?? '' }))
  if (!waiting.has(`${group}/${kind}`)) return []
  const named = references(dependsOn)
    .map(reference => ({
      group: reference.apiVersion ? groupOf(reference.apiVersion) : group,
      kind: reference.kind ?? kind,
      namespace: reference.namespace || own.namespace,
      name: reference.name ?? '',
    }))
    .filter(ref => waiting.has(`${ref.group}/${ref.kind}`))
  return [...named, ...dependencyRefs(object)]
}

const references = (value: unknown): readonly Reference[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'object' && item !== null) : []
