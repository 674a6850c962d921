/** Takes steps of the budget before the work is done. Fails with BudgetExceeded once too much work has been done. */
export type Spend = (steps: number) => void
