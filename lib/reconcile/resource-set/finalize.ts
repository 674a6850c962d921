import { describePruneFailures } from '../../clusters/apply/prune.ts'
import { isReconcileDisabled } from '../../foundations/kinds/flux-operator.ts'
import { intervalOf, type ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { inventoryUnion } from '../../foundations/rules/inventory.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import type { SignatureDemand } from '../approvals/signatures.ts'
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
  pass: Pass<ResourceSet>,
  context: Context,
): Promise<Unfinished<ResourceSet> | undefined> => {
  const { signal, note, confine } = pass
  const entries = inventoryOf(set)
  if (isReconcileDisabled(set) || entries.length === 0) return forget(set, context)
  try {
    const target = await targetOf(set, context)
    const bound = await bindCluster(set, target, true, context.units)
    if (bound.changed) return bound.changed
    // The objects in the inventory are not the ones that this set applied.
    if (bound.bind) return await forget(set, context)
    const cluster = await confine(target.cluster)
    const { signatures } = context
    const clearWith = async (demand: SignatureDemand) => {
      const { clearDeletion } = await import('../approvals/clear-change.ts')
      return clearDeletion({ ...target, unit: set, pass, cluster, entries }, demand, context)
    }
    const found = signatures ? await clearWith(signatures) : { cleared: entries }
    if ('waiting' in found) return { type: 'waiting', afterMs: intervalOf(set), conditions: found.waiting.conditions }
    const leaving = found.cleared
    const { changes, failures, isWaiting } = await collectGarbage(cluster, target.owner, leaving, context.clock, signal)
    if (!isWaiting) note({ cluster: target.reference, changes })
    if (failures.length > 0) {
      const left = isWaiting
        ? leaving
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
