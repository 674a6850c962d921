/** Warns the author of an object that closes a cycle of dependencies: none of its objects would ever be reconciled. */
import { groupOf, type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { findCycle } from '../../foundations/rules/dependencies.ts'
import type { Hub } from '../store/hub.ts'

/** Maximum number of objects read per write; the first pass reports a longer cycle. */
const maxRead = 100

/**
 * The warning for an object that is being written; undefined if its dependencies did not change or have no cycle. As in Flux, the write is
 * not refused: the objects of a set are written one after the other.
 */
export const cycleWarning = async (
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  hub: Pick<Hub, 'get'>,
): Promise<string | undefined> => {
  const awaited = awaitedBy(object)
  if (awaited.length === 0 || (old && isSameJson(awaited, awaitedBy(old)))) return undefined
  const start = nameOf(refOf(object))
  const refs = new Map(awaited.map(ref => [nameOf(ref), ref]))
  const cycle = await findCycle(
    start,
    async name => {
      const ref = refs.get(name)
      const found = name === start ? object : ref && (await hub.get<KubernetesObject>(ref))
      const next = found ? awaitedBy(found) : []
      for (const each of next) refs.set(nameOf(each), each)
      return next.map(nameOf)
    },
    maxRead,
  )
  return cycle && `dependency cycle ${cycle.join(' -> ')}: none of them will ever be reconciled`
}

const nameOf = ({ kind, namespace, name }: ObjectRef): string => `${kind}/${namespace}/${name}`

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

/** The objects in `dependsOn`, and the repositories that a GitRepository includes; the object may not be valid yet. */
const awaitedBy = ({ apiVersion, kind, metadata, spec }: KubernetesObject): readonly ObjectRef[] => {
  const group = groupOf(apiVersion)
  const own = { group, kind, namespace: metadata.namespace ?? '' }
  const { dependsOn, include } = (spec ?? {}) as Readonly<Record<string, unknown>>
  if (`${group}/${kind}` === 'source.toolkit.fluxcd.io/GitRepository')
    return references(include).map(({ repository }) => ({ ...own, name: repository?.name ?? '' }))
  if (!waiting.has(`${group}/${kind}`)) return []
  return references(dependsOn)
    .map(reference => ({
      group: reference.apiVersion ? groupOf(reference.apiVersion) : group,
      kind: reference.kind ?? kind,
      namespace: reference.namespace || own.namespace,
      name: reference.name ?? '',
    }))
    .filter(ref => waiting.has(`${ref.group}/${ref.kind}`))
}

const references = (value: unknown): readonly Reference[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'object' && item !== null) : []
