import { specDigestOf } from '../../engines/resource-set/digest.ts'
import { type RenderedStep, render } from '../../engines/resource-set/render.ts'
import { BudgetExceeded } from '../../foundations/budget/budget.ts'
import type { InputSet, ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { withAttempt } from '../../foundations/rules/history.ts'
import { maxBackOffMs } from '../../foundations/rules/schedule.ts'
import { hereOrElsewhere, smallTemplates } from '../heavy-work/here-or-elsewhere.ts'
import { expandOffThread } from '../heavy-work/off-thread.ts'
import { isMistake } from '../runtime/halt.ts'
import { describeOverBudget } from '../runtime/over-budget.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Context } from './context.ts'
import { stall } from './failure.ts'
import { resolveInputs } from './resolve-inputs.ts'
import { historyOf } from './run.ts'

export type RenderingContext = Pick<Context, 'references' | 'clock' | 'random' | 'offThread' | 'settings'>

/** The inputs that a set has now, and what its templates render with them. Halts if either fails. */
export const renderSet = async (
  set: ResourceSet,
  pass: Pick<Pass<ResourceSet>, 'signal'>,
  context: RenderingContext,
): Promise<{ readonly inputs: readonly InputSet[]; readonly rendered: readonly RenderedStep[] }> => {
  const inputs = await orStall(set, 'failed to compute inputs', context, () => resolveInputs(set, context.references))
  const rendered = await orStall(set, 'build failed', context, () => renderSteps(set, inputs, pass, context))
  return { inputs, rendered }
}

/** Failures here recur until the spec or a provider changes. */
const orStall = async <R>(
  set: ResourceSet,
  doing: string,
  { clock }: RenderingContext,
  work: () => R | Promise<R>,
): Promise<R> => {
  const startedAt = clock.now()
  try {
    return await work()
  } catch (error) {
    if (isMistake(error)) throw error
    const [reason, endedAt] = ['BuildFailed', clock.now()] as const
    const attempt = { digest: specDigestOf(set.spec), status: reason, endedAt, durationMs: endedAt - startedAt }
    const history = withAttempt(historyOf(set), attempt)
    const isOverBudget = error instanceof BudgetExceeded
    throw stall(reason, `${doing}: ${isOverBudget ? describeOverBudget(error) : errorMessage(error)}`, {
      status: { history },
      cause: error,
      ...(isOverBudget && { afterMs: maxBackOffMs }),
    })
  }
}

/** What the templates of a set render with these inputs. Templates may fail here because this thread's limits are low: if another thread is available, it tries again. */
export const renderSteps = (
  set: ResourceSet,
  inputs: readonly InputSet[],
  { signal }: Pick<Pass<ResourceSet>, 'signal'>,
  { clock, random, offThread: thread, settings: { buildLimits: limits } }: RenderingContext,
): Promise<readonly RenderedStep[]> => {
  const options = { group: set.metadata.namespace ?? '', signal }
  const isLate = (): boolean => signal.aborted
  return hereOrElsewhere(
    limits,
    (budget, isSmall) =>
      render(set.spec, inputs, {
        ambient: { now: clock.now, random: random.fraction },
        limits: { isLate, ...(isSmall && smallTemplates) },
        budget,
      }),
    thread && (() => expandOffThread(thread, { spec: set.spec, inputs, limits, now: clock.now() }, options)),
    error => !isMistake(error),
  )
}
