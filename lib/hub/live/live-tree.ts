import { type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import { kstatus } from '../../engines/kstatus/kstatus.ts'
import { type KStatus, KStatusError } from '../../engines/kstatus/result.ts'
import {
  type LiveObject,
  type LivePod,
  type LiveState,
  type LiveTree,
  livePod,
  workloads,
} from '../../foundations/fleet/live.ts'
import { ownerGroups } from '../../foundations/fleet/owner-labels.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { inventoryId, inventoryObject } from '../../foundations/rules/inventory.ts'

/** Objects that are read, and lists that are requested for them. */
const maxObjects = 500
const maxLists = 60
/** Objects without the labels of their unit, which are read one by one. */
const maxSingle = 40
const maxPods = 300

interface Entry {
  readonly id: string
  readonly apiVersion: string
  readonly ref: ObjectRef
}

/** The objects of a unit with their health, and the pods of its workloads. Fails with a ClusterError if the cluster does not respond. */
export const liveTree = async (unit: KubernetesObject, cluster: ClusterClient, now: number): Promise<LiveTree> => {
  const { inventory } = (unit.status ?? {}) as { readonly inventory?: { readonly entries?: readonly InventoryEntry[] } }
  const all = inventory?.entries ?? []
  const entries = all.slice(0, maxObjects).map((entry): Entry => ({ id: entry.id, ...inventoryObject(entry) }))
  const refused = new Set<string>()
  const found = await readObjects(cluster, unit, entries, refused)
  const pods = await podsOf(cluster, [...found], refused)
  return {
    objects: entries.map(entry => liveObject(entry, found.get(entry.id), now)),
    more: all.length - entries.length,
    pods,
    refused: [...refused],
  }
}

/** What was read: an object, nothing if it does not exist, or why it could not be. */
type Read = KubernetesObject | 'missing' | ClusterError

const readObjects = async (
  cluster: ClusterClient,
  unit: KubernetesObject,
  entries: readonly Entry[],
  refused: Set<string>,
): Promise<ReadonlyMap<string, Read>> => {
  const found = new Map<string, Read>()
  const group = ownerGroups.find(([, kind]) => kind === unit.kind)?.[0]
  const labelSelector = `${group}/name=${unit.metadata.name}`
  const groups = Map.groupBy(entries, ({ apiVersion, ref }) => JSON.stringify([apiVersion, ref.kind, ref.namespace]))
  await Promise.all(
    [...groups].slice(0, maxLists).map(async ([key, members]) => {
      const [apiVersion, kind, namespace] = JSON.parse(key) as [string, string, string]
      try {
        const { items } = await cluster.list({ apiVersion, kind, namespace, labelSelector })
        for (const item of items) found.set(inventoryId(refOf(item)), item)
      } catch (error) {
        const why = refusalOf(error)
        refused.add(why.message)
        for (const { id } of members) found.set(id, why)
      }
    }),
  )
  const single = entries.filter(({ id }) => !found.has(id)).slice(0, maxSingle)
  await Promise.all(
    single.map(async ({ id, apiVersion, ref }) => {
      found.set(id, await cluster.get(apiVersion, ref).then(object => object ?? 'missing', refusalOf))
    }),
  )
  return found
}

/** Passes on what concerns the whole cluster. */
const refusalOf = (error: unknown): ClusterError => {
  if (error instanceof ClusterError && error.code !== 'unreachable' && error.code !== 'unauthorized') return error
  throw error
}

const liveObject = ({ id, ref: { kind, namespace, name } }: Entry, read: Read | undefined, now: number): LiveObject => {
  const of = (state: LiveState, message: string): LiveObject => ({ id, kind, namespace, name, state, message })
  if (read === undefined) return of('unknown', 'not read: too many objects')
  if (read === 'missing') return of('missing', 'does not exist on the cluster')
  if (read instanceof ClusterError) return of('unknown', read.message)
  try {
    const { status, message } = kstatus(read, now)
    return of(states[status], message)
  } catch (error) {
    if (error instanceof KStatusError) return of('unknown', error.message)
    throw error
  }
}

const states: Readonly<Record<KStatus['status'], LiveState>> = {
  Current: 'ready',
  InProgress: 'progressing',
  Terminating: 'progressing',
  Failed: 'failed',
  NotFound: 'missing',
  Unknown: 'unknown',
}

interface Workload {
  readonly spec?: { readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> } }
}

const podsOf = async (
  cluster: ClusterClient,
  read: readonly (readonly [id: string, object: Read])[],
  refused: Set<string>,
): Promise<readonly LivePod[]> => {
  const lists = await Promise.all(
    read.map(async ([id, object]): Promise<readonly LivePod[]> => {
      if (object === 'missing' || object instanceof ClusterError || !workloads.has(object.kind)) return []
      const labels = Object.entries((object as Workload).spec?.selector?.matchLabels ?? {})
      if (labels.length === 0) return []
      const labelSelector = labels.map(([key, value]) => `${key}=${value}`).join(',')
      const { namespace } = object.metadata
      const query = { apiVersion: 'v1', kind: 'Pod', labelSelector, limit: maxPods, ...(namespace && { namespace }) }
      try {
        return (await cluster.list(query)).items.map(pod => livePod(pod, id))
      } catch (error) {
        refused.add(refusalOf(error).message)
        return []
      }
    }),
  )
  return lists.flat().slice(0, maxPods)
}
