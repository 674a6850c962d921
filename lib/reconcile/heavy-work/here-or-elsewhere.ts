import { Budget, BudgetExceeded, type Limits } from '../../foundations/budget/budget.ts'

/**
 * Limits of work on the thread that serves all requests: about 0.1 s. Nearly all builds are smaller, and need no transfer to another thread.
 */
const smallLimits: Required<Limits> = {
  bases: 200,
  depth: 100,
  resources: 500,
  nodes: 40_000,
  bytes: 4 * 1024 * 1024,
  steps: 20_000,
  seconds: 1,
  megabytes: 64,
}

/** The limits of one run of a template, which are counted separately. */
export const smallTemplates = { steps: smallLimits.steps, output: smallLimits.bytes / 8 }

/** The budget for this thread; less if the whole budget is smaller. */
export const smallBudget = (limits: Limits): Budget =>
  new Budget(
    Object.fromEntries(
      Object.entries(smallLimits).map(([name, limit]) => [
        name,
        Math.min(limit, limits[name as keyof Limits] ?? limit),
      ]),
    ),
  )

/**
 * Runs work on this thread with a small budget; if that is exceeded, runs it again on another thread with the whole budget. `isTooMuch` recognizes
 * failures caused by the small budget. Without another thread, all work runs here.
 */
export const hereOrElsewhere = async <T>(
  limits: Limits,
  here: (budget: Budget, isSmall: boolean) => T | Promise<T>,
  elsewhere: (() => Promise<T>) | undefined,
  isTooMuch: (error: unknown) => boolean = error => error instanceof BudgetExceeded,
): Promise<T> => {
  if (!elsewhere) return here(new Budget(limits), false)
  try {
    return await here(smallBudget(limits), true)
  } catch (error) {
    if (!isTooMuch(error)) throw error
    return elsewhere()
  }
}
