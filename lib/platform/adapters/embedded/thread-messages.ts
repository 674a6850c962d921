import type { MessagePort } from 'node:worker_threads'
import { BudgetExceeded } from '../../../foundations/budget/budget.ts'

/** Starts a task. */
export interface StartMessage {
  readonly name: string
  readonly input: unknown
  /** Ports for questions that block the task until answered, and for those that do not. */
  readonly answers: MessagePort
  readonly promises: MessagePort
  /** One Int32: 1 once the answer to a question has been sent. */
  readonly answered: SharedArrayBuffer
}

export interface Question {
  readonly id: number
  readonly question: string
  readonly args: readonly unknown[]
}

/** The outcome of a task or a question. */
export type OutcomeMessage = { readonly id: number } & (
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: SentError }
)

/** An error reduced to what can be copied. */
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

/** Recreates the error: an exceeded budget, a programming error, or any other by its message. */
export const receivedError = ({ name, message, budget }: SentError): Error => {
  if (budget) return new BudgetExceeded(budget.budget, budget.limit, budget.used, budget.place)
  if (name === 'TypeError') return new TypeError(message)
  if (name === 'ReferenceError') return new ReferenceError(message)
  return new Error(message)
}

/** Copies bytes, because a view would be sent with its whole underlying memory. */
export const sentValue = (value: unknown): unknown => (value instanceof Uint8Array ? new Uint8Array(value) : value)
