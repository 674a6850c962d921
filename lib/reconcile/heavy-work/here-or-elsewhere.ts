import { Budget, BudgetExceeded, type Limits } from '../../foundations/budget/budget.ts'

/**
 * What may be done on the thread that serves everyone: some 0.1 s of work at most. Nearly all builds stay below, and are spared the way to
 * another thread and back.
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

/** The same for one run of a template, which counts for itself. */
export const smallTemplates = { steps: smallLimits.steps, output: smallLimits.bytes / 8 }

/** What may be done on this thread; less when the whole budget is smaller. */
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
 * Does work here with a small budget; when that is not enough, it is begun again elsewhere, with the whole one. `isTooMuch` tells failures
 * that come of the small budget from those of the work. Without an elsewhere, all is done here.
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
