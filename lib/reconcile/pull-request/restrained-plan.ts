import type { HeadPlan } from '../../foundations/fleet/head-plan.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { isMistake } from '../runtime/halt.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Restraint } from '../windows/restraint.ts'
import { type RestrainedUnit, runRestrained } from '../windows/run-restrained.ts'

/** Plans a unit under what restrains its passes. Fails only with the abort of the pass. */
export const restrainedPlan = async <T extends RestrainedUnit>(
  ports: Parameters<typeof runRestrained>[0],
  unit: T,
  pass: Pass<T>,
  plan: (unit: T, pass: Pass<T>, restraint: Restraint) => Promise<HeadPlan>,
): Promise<HeadPlan> =>
  (await runRestrained(ports, unit, pass, (unit, pass, restraint) =>
    plan(unit, pass, restraint).catch(orAbort(pass.signal, failedPlan)),
  )) ?? { type: 'skipped', open: 'its Cluster is suspended' }

/** A failure that may quote what only readers of the unit may see. */
export const failedPlan = (error: unknown): HeadPlan => ({
  ...{ type: 'failed', message: errorMessage(error) },
  open: 'it can not be planned: the PullRequest on the hub says why',
})

/** A handler of failures, which does not handle the abort of a pass, nor mistakes of ours. */
export const orAbort =
  <R>(signal: AbortSignal, handle: (error: unknown) => R) =>
  (error: unknown): R => {
    signal.throwIfAborted()
    if (isMistake(error)) throw error
    return handle(error)
  }
