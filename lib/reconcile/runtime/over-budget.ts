import type { BudgetExceeded } from '../../foundations/budget/budget.ts'

/** Names the exceeded budget, what was counted and where, and the setting that raises the limit. */
export const describeOverBudget = ({ message, budget, limit }: BudgetExceeded): string =>
  `${message}, which an operator raises with --build-limits=${budget}=${limit * 2}`
