import type { Change, ChangeSet } from '../../clusters/apply/change-set.ts'
import type { Owner } from '../../clusters/apply/owner.ts'
import { notYetGone, type PruneFailure, prune } from '../../clusters/apply/prune.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { parseInventoryId } from '../../foundations/rules/inventory.ts'
import type { Clock } from '../../platform/ports/clock.ts'

export interface Collected {
  /** Each `deleted` or `skipped`. */
  readonly changes: ChangeSet
  /** What must stay in the inventory, because it could not be deleted. */
  readonly failures: readonly PruneFailure[]
  /** Flux objects are still cleaning up: the other objects are kept until they are done, or a minute has passed. */
  readonly isWaiting: boolean
}

/** How long all other objects wait for Flux objects to be finalized (RS-112). */
const maxWaitMs = 60_000

/**
 * Deletes objects in two stages: first Flux objects, whose controllers then clean up what they have applied; once the
 * Kustomizations and HelmReleases among them are gone, the rest, including the accounts and roles that they act with.
 */
export const collectGarbage = async (
  cluster: ClusterClient,
  owner: Owner,
  stale: readonly InventoryEntry[],
  clock: Pick<Clock, 'now'>,
  signal: AbortSignal,
): Promise<Collected> => {
  const options = { owner, signal }
  const [first, rest] = [stale.filter(isFlux), stale.filter(entry => !isFlux(entry))]
  const flux = await prune(cluster, first, options)
  if (rest.length === 0) return { ...flux, isWaiting: false }
  const appliers = flux.changes.filter(({ action, ref }) => action === 'deleted' && isApplier(ref))
  if (await isBusy(cluster, appliers, clock.now(), signal)) return { ...flux, isWaiting: true }
  const others = await prune(cluster, rest, options)
  return {
    changes: [...flux.changes, ...others.changes],
    failures: [...flux.failures, ...others.failures],
    isWaiting: false,
  }
}

const isFlux = ({ id }: InventoryEntry): boolean => {
  const { group } = parseInventoryId(id)
  return group === operatorGroup || group.endsWith('.toolkit.fluxcd.io')
}

/** Kinds that apply objects themselves, and delete them in turn. */
const isApplier = ({ kind }: ObjectRef): boolean => ['Kustomization', 'HelmRelease', 'ResourceSet'].includes(kind)

/** Whether one of them is still terminating, and has not been for too long. */
const isBusy = async (
  cluster: ClusterClient,
  deleted: readonly Change[],
  now: number,
  signal: AbortSignal,
): Promise<boolean> => {
  const left = new Set(await notYetGone(cluster, deleted, signal))
  const going = await Promise.all(
    deleted
      .filter(({ ref }) => left.has(ref))
      .map(({ apiVersion, ref }) => cluster.get(apiVersion, ref, { metadataOnly: true, signal })),
  )
  return going.some(object => {
    const since = Date.parse(object?.metadata.deletionTimestamp ?? '')
    return now - since < maxWaitMs
  })
}
