import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { isMistake } from '../runtime/halt.ts'
import type { Outcome, Pass } from '../runtime/reconciler.ts'
import { planning } from '../windows/plan-proposed.ts'
import type { Restraint } from '../windows/restraint.ts'
import { restrained } from '../windows/waiting.ts'
import type { HeadPlan } from './head-plan.ts'

type Unit = KubernetesObject & {
  readonly spec: { readonly interval: string }
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** Plans a unit under what restrains its passes: the identity and the limits on its cluster. Fails only with the abort of the pass. */
export const restrainedPlan = async <T extends Unit>(
  ports: Parameters<typeof restrained>[0],
  unit: T,
  pass: Pass<T>,
  plan: (unit: T, pass: Pass<T>, restraint: Restraint) => Promise<HeadPlan>,
): Promise<HeadPlan> => {
  let result: HeadPlan | undefined
  const { reconcile } = restrained<T>(ports, {
    planning,
    intervalOf,
    reconcile: async (unit, pass, restraint) => {
      result = await plan(unit, pass, restraint).catch(orAbort(pass.signal, failedPlan))
      return planned
    },
    finalize: async () => undefined,
  })
  await reconcile(unit, pass)
  return result ?? { type: 'skipped', open: 'its Cluster is suspended' }
}

const planned: Outcome<never> = { type: 'done', reason: 'Planned', message: '' }

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
