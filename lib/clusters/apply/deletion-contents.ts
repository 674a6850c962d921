import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { describeRef, type KubernetesObject, type ObjectRef, refKey, refOf } from '../../foundations/kinds/object.ts'
import { inventoryObject } from '../../foundations/rules/inventory.ts'
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

export const isDestructive = ({ group, kind }: ObjectRef): boolean => destructiveKinds.has(`${group}/${kind}`)

const maxConcurrency = 8

/**
 * Describes what the deletion of these objects would destroy, by inventory id: the data of a PersistentVolumeClaim or
 * PersistentVolume, instances of a CustomResourceDefinition that are not deleted anyway, objects in a Namespace that are not the
 * owner's. An object whose contents can't be read counts as full.
 */
export const deletionContents = async (
  cluster: ClusterClient,
  entries: readonly InventoryEntry[],
  { owner, signal }: { readonly owner: Owner; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> => {
  const deleted = new Set(entries.map(entry => refKey(inventoryObject(entry).ref)))
  const found = new Map<string, string>()
  for (const entry of entries) {
    const { apiVersion, ref } = inventoryObject(entry)
    if (!isDestructive(ref)) continue
    const contents = await contentsOf(cluster, apiVersion, ref, { owner, deleted, signal }).catch((error: unknown) => {
      if (!(error instanceof ClusterError)) throw error
      return `its contents can't be listed: ${error.message}`
    })
    if (contents) found.set(entry.id, `${describeRef(ref)}: ${contents}`)
  }
  return found
}

interface DeletionScope {
  readonly owner: Owner
  /** By refKey: what is deleted in the same pass. */
  readonly deleted: ReadonlySet<string>
  readonly signal: AbortSignal
}

const contentsOf = async (
  cluster: ClusterClient,
  apiVersion: string,
  ref: ObjectRef,
  scope: DeletionScope,
): Promise<string | undefined> => {
  if (ref.kind === 'CustomResourceDefinition') return instancesOf(cluster, apiVersion, ref, scope)
  if (ref.kind === 'Namespace') return foreignObjectsIn(cluster, ref.name, scope)
  return 'its data would be lost'
}

interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string
    readonly names: { readonly kind: string }
    readonly versions: readonly { readonly name: string; readonly served?: boolean }[]
  }
}

const instancesOf = async (
  cluster: ClusterClient,
  apiVersion: string,
  ref: ObjectRef,
  { deleted, signal }: DeletionScope,
): Promise<string | undefined> => {
  const version = await servedVersion(cluster, apiVersion, ref, signal)
  const definition = version && ((await cluster.get(version, ref, { signal })) as Definition | undefined)
  if (!definition) return undefined
  const { group, names, versions } = definition.spec
  const served = versions.find(({ served }) => served !== false)
  if (!served) return 'none of its versions is served, so its instances cannot be counted'
  const query = { apiVersion: `${group}/${served.name}`, kind: names.kind, metadataOnly: true }
  try {
    const { items } = await cluster.list(query, { signal })
    const others = items.map(refOf).filter(instance => !deleted.has(refKey(instance)))
    return others.length > 0 ? `${others.length} instances would be lost, ${examples(others)}` : undefined
  } catch (error) {
    if (error instanceof ClusterError && error.code === 'noMatch') return undefined // never established: no instances
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

const foreignObjectsIn = async (
  cluster: ClusterClient,
  namespace: string,
  { owner, signal }: DeletionScope,
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
  const foreign = lists.flat().filter(object => !isMadeByKubernetes(object) && !isOwnedBy(object, owner))
  return foreign.length > 0
    ? `${foreign.length} objects in it do not belong to this unit, ${examples(foreign.map(refOf))}`
    : undefined
}

const examples = (refs: readonly ObjectRef[]): string => {
  const shown = refs.slice(0, 3).map(describeRef).join(', ')
  return refs.length > 3 ? `${shown} and ${refs.length - 3} more` : shown
}
