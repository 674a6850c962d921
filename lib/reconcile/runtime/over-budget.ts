import type { BudgetExceeded } from '../../foundations/budget/budget.ts'

/** The budget that was exceeded, what was counted where, and the setting that raises the limit. */
export const describeOverBudget = ({ message, budget, limit }: BudgetExceeded): string =>
  `${message}, which an operator raises with --build-limits=${budget}=${limit * 2}`
