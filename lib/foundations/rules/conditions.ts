/** Conditions of a status as Flux keeps them: one per type, sorted, and only changed through these functions. */
import type { Condition } from '../kinds/object.ts'

export interface NewCondition {
  readonly status: Condition['status']
  readonly reason: string
  readonly message: string
  /** When this state began, in milliseconds since the epoch; if absent, see `withCondition`. */
  readonly since?: number
}

export interface Observation {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly generation: number | undefined
}

/** The condition of this type; undefined if there is none. A status has at most one of each. */
export const conditionOf = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find(condition => condition.type === type)

export const isConditionTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditionOf(conditions, type)?.status === 'True'

/**
 * Adds or replaces a condition. Its lastTransitionTime changes only with its status; its observedGeneration is the observation's. Messages
 * are truncated to the API's limit.
 */
export const withCondition = (
  conditions: readonly Condition[],
  type: string,
  { status, reason, message, since }: NewCondition,
  { now, generation }: Observation,
): readonly Condition[] => {
  const before = conditionOf(conditions, type)
  const lastTransitionTime =
    since === undefined && before?.status === status ? before.lastTransitionTime : timestamp(since ?? now)
  const after: Condition = {
    type,
    status,
    reason,
    message: cut(message),
    lastTransitionTime,
    ...(generation !== undefined && { observedGeneration: generation }),
  }
  return [...conditions.filter(condition => condition.type !== type), after].sort(byImportance)
}

/** The other conditions, in their order. */
export const withoutCondition = (conditions: readonly Condition[], type: string): readonly Condition[] =>
  conditions.filter(condition => condition.type !== type)

/** RFC 3339 in whole seconds, as metav1.Time is written. */
export const timestamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

const maxMessageLength = 32_768

const cut = (message: string): string =>
  message.length <= maxMessageLength ? message : `${message.slice(0, maxMessageLength - 3)}...`

const foremost = ['Stalled', 'Reconciling', 'Ready']

/** Stalled, Reconciling, Ready; then the most recently observed; then by name. */
const byImportance = (a: Condition, b: Condition): number => {
  const [rankA, rankB] = [rank(a), rank(b)]
  if (rankA !== rankB) return rankA - rankB
  if (rankA < foremost.length) return 0
  const generations = (b.observedGeneration ?? 0) - (a.observedGeneration ?? 0)
  return generations !== 0 ? generations : a.type < b.type ? -1 : 1
}

const rank = ({ type }: Condition): number => {
  const at = foremost.indexOf(type)
  return at < 0 ? foremost.length : at
}
