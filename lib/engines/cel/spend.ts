/** Charges steps to the budget before the work is done. Fails with BudgetExceeded if none are left. */
export type Spend = (steps: number) => void
