import type { MessagePort } from 'node:worker_threads'
import { BudgetExceeded } from '../../../foundations/budget/budget.ts'

/** Starts a task. */
export interface StartMessage {
  readonly name: string
  readonly input: unknown
  /** Ports for calls that block the task until they return, and for those that do not. */
  readonly syncCalls: MessagePort
  readonly asyncCalls: MessagePort
  /** One Int32: 1 once the result of a call has been sent. */
  readonly responded: SharedArrayBuffer
}

export interface CallMessage {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

/** The outcome of a task or a call. */
export type OutcomeMessage = { readonly id: number } & (
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: SerializedError }
)

/** An error reduced to what can be copied. */
interface SerializedError {
  readonly name: string
  readonly message: string
  readonly budget?: Pick<BudgetExceeded, 'budget' | 'limit' | 'used' | 'place'>
}

/**
 * What the other thread needs of an error: name and message, and of an exceeded budget its numbers. The stack stays
 * here.
 */
export const serializedError = (thrown: unknown): SerializedError => {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown) }
  const { name, message } = thrown
  if (!(thrown instanceof BudgetExceeded)) return { name, message }
  const { budget, limit, used, place } = thrown
  return { name, message, budget: { budget, limit, used, place } }
}

/** Recreates the error: an exceeded budget, a programming error, or any other by its message. */
export const deserializedError = ({ name, message, budget }: SerializedError): Error => {
  if (budget) return new BudgetExceeded(budget.budget, budget.limit, budget.used, budget.place)
  if (name === 'TypeError') return new TypeError(message)
  if (name === 'ReferenceError') return new ReferenceError(message)
  return new Error(message)
}

/** Copies bytes, because a view would be sent with its whole underlying memory. */
export const transferable = (value: unknown): unknown => (value instanceof Uint8Array ? new Uint8Array(value) : value)
