import type { MessagePort } from 'node:worker_threads'
import { BudgetExceeded } from '../../../foundations/budget/budget.ts'

/** Starts a task. */
export interface StartMessage {
  readonly name: string
  readonly input: unknown
  /** Questions whose answers the task waits for, and those that it does not wait for. */
  readonly answers: MessagePort
  readonly promises: MessagePort
  /** One Int32: 1 when the answer to a question has been sent. */
  readonly answered: SharedArrayBuffer
}

export interface Question {
  readonly id: number
  readonly question: string
  readonly args: readonly unknown[]
}

/** An outcome, of a task or a question. */
export type OutcomeMessage = { readonly id: number } & (
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: SentError }
)

/** An error, without what can't be copied. */
interface SentError {
  readonly name: string
  readonly message: string
  readonly budget?: Pick<BudgetExceeded, 'budget' | 'limit' | 'used' | 'place'>
}

export const sentError = (thrown: unknown): SentError => {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown) }
  const { name, message } = thrown
  if (!(thrown instanceof BudgetExceeded)) return { name, message }
  const { budget, limit, used, place } = thrown
  return { name, message, budget: { budget, limit, used, place } }
}

/** The error as its kind: what went over a budget, a mistake of ours, or any other, by its message. */
export const receivedError = ({ name, message, budget }: SentError): Error => {
  if (budget) return new BudgetExceeded(budget.budget, budget.limit, budget.used, budget.place)
  if (name === 'TypeError') return new TypeError(message)
  if (name === 'ReferenceError') return new ReferenceError(message)
  return new Error(message)
}

/** Bytes by themselves: a view would be sent with all of the memory that it looks into. */
export const sentValue = (value: unknown): unknown => (value instanceof Uint8Array ? new Uint8Array(value) : value)
