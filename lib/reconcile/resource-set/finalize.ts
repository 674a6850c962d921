import { describePruneFailures } from '../../clusters/apply/prune.ts'
import { isReconcileDisabled } from '../../foundations/kinds/flux-operator.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { inventoryUnion } from '../../foundations/rules/inventory.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import { bindCluster } from '../guard/cluster-guard.ts'
import { forgetBuilds } from '../kept-builds/forget-builds.ts'
import { isMistake } from '../runtime/halt.ts'
import type { Pass, Unfinished } from '../runtime/reconciler.ts'
import { collectGarbage } from './collect-garbage.ts'
import type { Context } from './context.ts'
import { targetOf } from './target-cluster.ts'

/** How often to check whether Flux objects still exist, in milliseconds. */
const pollMs = 1_000

/**
 * Deletes what a deleted ResourceSet has applied, in stages; nothing if it is disabled. The ResourceSet stays as long as objects
 * can't be deleted, or their cluster can't be reached.
 */
export const finalize = async (
  set: ResourceSet,
  { signal, note, confine }: Pass<ResourceSet>,
  context: Context,
): Promise<Unfinished<ResourceSet> | undefined> => {
  const entries = inventoryOf(set)
  if (isReconcileDisabled(set) || entries.length === 0) return forget(set, context)
  try {
    const target = await targetOf(set, context)
    const bound = await bindCluster(set, target, true, context.units)
    if (bound.changed) return bound.changed
    // The objects in the inventory are not the ones that this set applied.
    if (bound.bind) return await forget(set, context)
    const { changes, failures, isWaiting } = await collectGarbage(
      await confine(target.cluster),
      target.owner,
      entries,
      context.clock,
      signal,
    )
    if (!isWaiting) note({ cluster: target.reference, changes })
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
    return await forget(set, context)
  } catch (error) {
    signal.throwIfAborted()
    if (isMistake(error)) throw error
    return failed(errorMessage(error))
  }
}

const forget = async (set: ResourceSet, { units, renderings }: Context): Promise<undefined> => {
  await forgetBuilds(set, { units, builds: renderings })
  await units.forget(set)
}

const failed = (message: string, status: Extract<Unfinished<ResourceSet>, { type: 'failed' }>['status'] = {}) =>
  ({ type: 'failed', reason: 'PruneFailed', message, status }) as const
