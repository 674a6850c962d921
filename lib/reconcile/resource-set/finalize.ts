import { describePruneFailures } from '../../clusters/apply/prune.ts'
import { isReconcileDisabled } from '../../foundations/kinds/flux-operator.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { inventoryUnion } from '../../foundations/rules/inventory.ts'
import { bindCluster, clusterChangedOutcome } from '../guard/cluster-guard.ts'
import type { Pass, Unfinished } from '../runtime/reconciler.ts'
import { collectGarbage } from './collect-garbage.ts'
import type { Context } from './context.ts'
import { isMistake } from './failure.ts'
import { inventoryOf } from './run.ts'
import { targetOf } from './target-cluster.ts'

/** How often it is looked whether Flux's objects are gone, in milliseconds. */
const pollMs = 1_000

/**
 * Removes what a deleted ResourceSet has applied, in stages; nothing when it is disabled. As long as objects can't be
 * deleted, or their cluster can't be reached, it stays.
 */
export const finalize = async (
  set: ResourceSet,
  { signal }: Pass<ResourceSet>,
  context: Context,
): Promise<Unfinished<ResourceSet> | undefined> => {
  const entries = inventoryOf(set)
  if (isReconcileDisabled(set) || entries.length === 0) return context.units.forget(set).then(() => undefined)
  try {
    const { cluster, onClusterChange } = await targetOf(set, context)
    const request = { unit: set, cluster, onClusterChange, hasInventory: true, isDeleting: true }
    const binding = await bindCluster(request, context.units)
    if (binding.type === 'changed') return clusterChangedOutcome(set, binding.message)
    // What the inventory names there is not what this set has applied.
    if (binding.type === 'adopted') return context.units.forget(set).then(() => undefined)
    const { failures, isWaiting } = await collectGarbage(cluster, set, entries, context.clock, signal)
    if (failures.length > 0) {
      const left = isWaiting
        ? entries
        : inventoryUnion(
            [],
            failures.map(({ entry }) => entry),
          )
      return failed(describePruneFailures(failures), { inventory: { entries: left } })
    }
    if (isWaiting) return { type: 'waiting', afterMs: pollMs }
    await context.units.forget(set)
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    if (isMistake(error)) throw error
    return failed(errorMessage(error))
  }
}

const failed = (message: string, status: Extract<Unfinished<ResourceSet>, { type: 'failed' }>['status'] = {}) =>
  ({ type: 'failed', reason: 'PruneFailed', message, status }) as const
