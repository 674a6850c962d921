import type { InventoryEntry } from '../../foundations/kinds/kustomization.ts'
import { describeRef, type KubernetesObject, type ObjectRef, refKey } from '../../foundations/kinds/object.ts'
import { compareApplyOrder } from '../../foundations/rules/apply-order.ts'
import { inventoryObject } from '../../foundations/rules/inventory.ts'
import { describeOutage, type Outage } from '../../foundations/rules/outage.ts'
import { type ClusterClient, ClusterError } from '../client/client.ts'
import { limiter } from '../client/limiter.ts'
import { deletionProtected } from '../client/protecting-client.ts'
import type { Change, ChangeSet } from './change-set.ts'
import { type Observed, observe } from './observe.ts'
import { isOwnedBy, type Owner } from './owner.ts'
import { policies } from './policies.ts'
import { servedVersion } from './served-version.ts'

export interface PruneResult {
  /** Each `deleted` or `skipped`, in the order of deletion: the reverse of apply. */
  readonly changes: ChangeSet
  /** What must stay in the inventory, because it still exists. */
  readonly failures: readonly PruneFailure[]
}

export interface PruneFailure {
  readonly entry: InventoryEntry
  readonly message: string
  readonly outage?: Outage
  /** Its Cluster protects the object. */
  readonly isProtected?: true
}

export interface PruneOptions {
  readonly owner: Owner
  readonly signal?: AbortSignal
}

const AT_ONCE = 16

/**
 * Deletes objects that have left the build, in the background, except those whose live labels name another owner (they
 * have moved, KS-031, KS-037) or that opt out of pruning. Objects that are already gone count as deleted; so do those
 * of a kind that the cluster no longer serves (KS-036). A refusal affects its object only.
 */
export const prune = async (
  cluster: ClusterClient,
  entries: readonly InventoryEntry[],
  { owner, signal }: PruneOptions,
): Promise<PruneResult> => {
  const limited = limiter(AT_ONCE)

  const known = await observedIn(cluster, entries, owner, signal)

  const pruneOne = async ({ entry, apiVersion, ref }: Stale): Promise<Change | PruneFailure> => {
    const change = (action: 'deleted' | 'skipped'): Change => ({ ref, apiVersion, action })
    let operation = 'query'
    try {
      const version = await servedVersion(cluster, apiVersion, ref, signal)
      const live =
        version && (known.get(refKey(ref)) ?? (await cluster.get(version, ref, { metadataOnly: true, signal })))
      if (!live) return change('deleted')
      if (isKept(live, owner)) return change('skipped')
      if (live.metadata.deletionTimestamp) return change('deleted') // being deleted: somebody waits for it, or holds it
      operation = 'delete'
      await cluster.delete(version, ref, { propagation: 'Background', uid: live.metadata.uid, signal })
      return change('deleted')
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      const { message, outage, reason } = error
      return {
        entry,
        message: `${describeRef(ref)} ${operation} failed: ${message}`,
        ...(outage && { outage }),
        ...(reason === deletionProtected && { isProtected: true }),
      }
    }
  }

  const stale = entries.map(entry => ({ entry, ...inventoryObject(entry) }))
  stale.sort((a, b) => compareApplyOrder(b.ref, a.ref))
  const results: (Change | PruneFailure)[] = []
  for (const ofOneKind of Map.groupBy(stale, ({ ref }) => `${ref.group}/${ref.kind}`).values())
    results.push(...(await Promise.all(ofOneKind.map(one => limited(() => pruneOne(one), signal)))))
  return {
    changes: results.filter(result => 'action' in result),
    failures: results.filter(result => 'entry' in result),
  }
}

/** Whether it has moved to another owner, or opts out of pruning. */
const isKept = (live: KubernetesObject, owner: Owner): boolean =>
  !isOwnedBy(live, owner) || policies(owner.group).isKept(live)

export interface Deletable {
  readonly entry: InventoryEntry
  /** The object, without its content; undefined if it can't be read. */
  readonly live?: KubernetesObject
}

/** What `prune` would delete now, including objects that can't be read: they might be deleted. */
export const deletableOf = async (
  cluster: ClusterClient,
  entries: readonly InventoryEntry[],
  { owner, signal }: PruneOptions,
): Promise<readonly Deletable[]> => {
  const limited = limiter(AT_ONCE)
  const known = await observedIn(cluster, entries, owner, signal)
  const read = async (entry: InventoryEntry): Promise<Deletable | undefined> => {
    const { apiVersion, ref } = inventoryObject(entry)
    try {
      const version = await servedVersion(cluster, apiVersion, ref, signal)
      const live =
        version && (known.get(refKey(ref)) ?? (await cluster.get(version, ref, { metadataOnly: true, signal })))
      if (!live || isKept(live, owner) || live.metadata.deletionTimestamp) return undefined
      return { entry, live }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      return { entry }
    }
  }
  const found = await Promise.all(entries.map(entry => limited(() => read(entry), signal)))
  return found.filter(deletable => deletable !== undefined)
}

/** Up to this many objects are read one by one, more of them through lists. */
const MAX_SINGLE_READS = 20

/** Those that still exist and belong to the owner, according to lists. */
const observedIn = async (
  cluster: ClusterClient,
  entries: readonly InventoryEntry[],
  owner: Owner,
  signal?: AbortSignal,
): Promise<Observed> => {
  if (entries.length <= MAX_SINGLE_READS) return new Map()
  try {
    return await observe(cluster, entries.map(inventoryObject), owner, { metadataOnly: true, signal })
  } catch (error) {
    if (error instanceof ClusterError) return new Map()
    throw error
  }
}

interface Stale {
  readonly entry: InventoryEntry
  readonly apiVersion: string
  readonly ref: ObjectRef
}

/** Flux's wording; an outage of the cluster is reported once. */
export const describePruneFailures = (failures: readonly PruneFailure[]): string => {
  const outage = failures.every(({ outage }) => outage) ? failures[0]?.outage : undefined
  const messages = outage ? [describeOutage(outage)] : failures.map(({ message }) => message)
  return `delete failed, errors: ${messages.map(message => `${message};`).join('')}`
}

/** The objects that still exist: none, once their deletion is complete (WaitForTermination, KS-043). */
export const notYetGone = async (
  cluster: ClusterClient,
  changes: ChangeSet,
  signal?: AbortSignal,
): Promise<readonly ObjectRef[]> => {
  const limited = limiter(AT_ONCE)
  const found = await Promise.all(
    changes.map(({ apiVersion, ref }) =>
      limited(async () => {
        const version = await servedVersion(cluster, apiVersion, ref, signal)
        return version && (await cluster.get(version, ref, { metadataOnly: true, signal })) ? ref : undefined
      }, signal),
    ),
  )
  return found.filter(ref => ref !== undefined)
}
