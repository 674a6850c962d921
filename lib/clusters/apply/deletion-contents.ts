import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { describeRef, type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { kustomizeGroup } from '../../foundations/kinds/references.ts'
import { inventoryId, inventoryObject, parseInventoryId } from '../../foundations/rules/inventory.ts'
import { type ApiResource, type ClusterClient, ClusterError } from '../client/client.ts'
import { limiter } from '../client/limiter.ts'
import { isOwnedBy, type Owner } from './owner.ts'
import { servedVersion } from './served-version.ts'

/** Kinds whose deletion destroys more than the object itself: stored data, or other objects. */
const destructiveKinds: ReadonlySet<string> = new Set([
  '/Namespace',
  '/PersistentVolumeClaim',
  '/PersistentVolume',
  'apiextensions.k8s.io/CustomResourceDefinition',
])

/** Kinds whose deletion deletes what they have applied. */
const applierKinds: ReadonlySet<string> = new Set([
  'kustomize.toolkit.fluxcd.io/Kustomization',
  'fluxcd.controlplane.io/ResourceSet',
  'helm.toolkit.fluxcd.io/HelmRelease',
])

export const isDestructive = (ref: ObjectRef): boolean => isIn(destructiveKinds, ref)

const isIn = (kinds: ReadonlySet<string>, { group, kind }: ObjectRef): boolean => kinds.has(`${group}/${kind}`)

/** From this number of objects on, the deletion of what has applied them may be an accident. */
const manyObjects = 10

const maxConcurrency = 8

export interface DeletionContents {
  /** What the deletion of an object would destroy, by inventory id. */
  readonly lost: ReadonlyMap<string, string>
  /** By the inventory id of a Namespace or CustomResourceDefinition: those of the deleted objects that are in it, or its instances. */
  readonly inside: ReadonlyMap<string, readonly string[]>
}

export interface ContentsOptions {
  readonly owner: Owner
  /** Inventory ids of all objects that the owner has or builds. */
  readonly known: ReadonlySet<string>
  readonly signal: AbortSignal
}

/**
 * What the deletion of these objects would destroy besides them: the data of a PersistentVolumeClaim or PersistentVolume, instances of a
 * CustomResourceDefinition and objects in a Namespace that are not deleted anyway, and what a pruned Kustomization, ResourceSet or HelmRelease has applied, if that is much. An object whose contents can't be read counts as full.
 */
export const deletionContents = async (
  cluster: ClusterClient,
  entries: readonly InventoryEntry[],
  options: ContentsOptions,
): Promise<DeletionContents> => {
  const { owner } = options
  const scope = { ...options, deleted: new Set(entries.map(({ id }) => id)) }
  const lost = new Map<string, string>()
  const inside = new Map<string, readonly string[]>()
  for (const entry of entries) {
    const { apiVersion, ref } = inventoryObject(entry)
    const isApplier = owner.group === kustomizeGroup && isIn(applierKinds, ref)
    if (!isApplier && !isDestructive(ref)) continue
    const contents = await contentsOf(cluster, apiVersion, ref, scope).catch((error: unknown): Contents => {
      if (!(error instanceof ClusterError)) throw error
      return { lost: `its contents can't be listed: ${error.message}` }
    })
    if (contents.lost) lost.set(entry.id, `${describeRef(ref)}: ${contents.lost}`)
    const { holds } = contents
    if (holds)
      inside.set(
        entry.id,
        entries.map(({ id }) => id).filter(id => holds(parseInventoryId(id))),
      )
  }
  return { lost, inside }
}

interface DeletionScope extends ContentsOptions {
  /** Inventory ids of what is deleted in the same pass. */
  readonly deleted: ReadonlySet<string>
}

interface Contents {
  readonly lost?: string | undefined
  /** Whether an object would be deleted with it. */
  readonly holds?: (ref: ObjectRef) => boolean
}

const contentsOf = async (
  cluster: ClusterClient,
  apiVersion: string,
  ref: ObjectRef,
  scope: DeletionScope,
): Promise<Contents> => {
  if (ref.kind === 'CustomResourceDefinition') return instancesOf(cluster, apiVersion, ref, scope)
  if (isIn(applierKinds, ref)) return { lost: await appliedBy(cluster, apiVersion, ref, scope) }
  if (ref.kind !== 'Namespace') return { lost: 'its data would be lost' }
  return { lost: await othersIn(cluster, ref.name, scope), holds: ({ namespace }) => namespace === ref.name }
}

interface Applier extends KubernetesObject {
  readonly spec?: { readonly prune?: boolean; readonly deletionPolicy?: string; readonly suspend?: boolean }
  readonly status?: { readonly inventory?: { readonly entries?: readonly unknown[] } }
}

/** What is deleted with an applier, if it is much. A HelmRelease is uninstalled. */
const appliedBy = async (
  cluster: ClusterClient,
  apiVersion: string,
  ref: ObjectRef,
  { signal }: DeletionScope,
): Promise<string | undefined> => {
  const version = await servedVersion(cluster, apiVersion, ref, signal)
  const applier = version && ((await cluster.get(version, ref, { signal })) as Applier | undefined)
  if (!applier) return undefined
  const { spec = {}, status } = applier
  const count = status?.inventory?.entries?.length ?? 0
  return count < manyObjects || leavesAll(ref, spec)
    ? undefined
    : `${count} objects that it has applied would be deleted`
}

interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string
    readonly names: { readonly kind: string }
    readonly versions: readonly { readonly name: string; readonly served?: boolean }[]
  }
}

/** Whether the deletion of an applier deletes nothing that it has applied. */
const leavesAll = (
  { kind }: ObjectRef,
  { prune, suspend, deletionPolicy = 'MirrorPrune' }: NonNullable<Applier['spec']>,
) => {
  switch (kind) {
    case 'Kustomization':
      return suspend || deletionPolicy === 'Orphan' || (deletionPolicy === 'MirrorPrune' && !prune)
    case 'HelmRelease':
      return suspend
    default:
      return false
  }
}

const instancesOf = async (
  cluster: ClusterClient,
  apiVersion: string,
  ref: ObjectRef,
  { deleted, signal }: DeletionScope,
): Promise<Contents> => {
  const version = await servedVersion(cluster, apiVersion, ref, signal)
  const definition = version && ((await cluster.get(version, ref, { signal })) as Definition | undefined)
  if (!definition) return {}
  const { group, names, versions } = definition.spec
  const holds = (instance: ObjectRef): boolean => instance.group === group && instance.kind === names.kind
  const served = versions.find(({ served }) => served !== false)
  if (!served) return { lost: 'none of its versions is served, so its instances cannot be counted', holds }
  const query = { apiVersion: `${group}/${served.name}`, kind: names.kind, metadataOnly: true }
  try {
    const { items } = await cluster.list(query, { signal })
    const others = items.map(refOf).filter(instance => !deleted.has(inventoryId(instance)))
    return {
      ...(others.length > 0 && { lost: `${others.length} instances would be lost, ${examples(others)}` }),
      holds,
    }
  } catch (error) {
    if (error instanceof ClusterError && error.code === 'noMatch') return {} // never established: no instances
    throw error
  }
}

/** What every namespace has, and what Kubernetes itself creates for other objects. */
const isMadeByKubernetes = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Event' ||
  kind === 'Endpoints' ||
  (kind === 'ConfigMap' && metadata.name === 'kube-root-ca.crt') ||
  (kind === 'ServiceAccount' && metadata.name === 'default') ||
  metadata.annotations?.['kubernetes.io/service-account.name'] !== undefined ||
  (metadata.ownerReferences ?? []).some(({ controller }) => controller === true)

const isListable = ({ group, namespaced, verbs }: ApiResource): boolean =>
  namespaced && verbs.includes('list') && verbs.includes('delete') && group !== 'metrics.k8s.io'

const othersIn = async (
  cluster: ClusterClient,
  namespace: string,
  { owner, known, deleted, signal }: DeletionScope,
): Promise<string | undefined> => {
  const limited = limiter(maxConcurrency)
  const kinds = (await cluster.resources({ signal })).filter(isListable)
  const lists = await Promise.all(
    kinds.map(({ group, version, kind }) =>
      limited(async () => {
        const apiVersion = group ? `${group}/${version}` : version
        return (await cluster.list({ apiVersion, kind, namespace, metadataOnly: true }, { signal })).items
      }, signal),
    ),
  )
  const staying = lists
    .flat()
    .filter(object => !isMadeByKubernetes(object) && !object.metadata.deletionTimestamp)
    .filter(object => !deleted.has(inventoryId(refOf(object))))
  const foreign = staying.filter(object => !isOwnedBy(object, owner))
  // What copies the owner's labels from an object that is deleted goes with it.
  const own = staying.filter(object => isOwnedBy(object, owner) && known.has(inventoryId(refOf(object))))
  const lost = [
    ...(foreign.length > 0
      ? [`${foreign.length} objects in it do not belong to this unit, ${examples(foreign.map(refOf))}`]
      : []),
    ...(own.length > 0 ? [`${own.length} objects of this unit in it are to stay, ${examples(own.map(refOf))}`] : []),
  ]
  return lost.length > 0 ? lost.join(', and ') : undefined
}

const examples = (refs: readonly ObjectRef[]): string => {
  const shown = refs.slice(0, 3).map(describeRef).join(', ')
  return refs.length > 3 ? `${shown} and ${refs.length - 3} more` : shown
}
