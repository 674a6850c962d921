/** The plan of a unit for the revision of a RolloutRun, or for its next window, as the unit's condition `Planned` says it. Pure. */
import type { Condition, KubernetesObject } from '../kinds/object.ts'
import type { Plan } from '../kinds/plan.ts'
import { plannedCondition } from '../kinds/rollout.ts'
import { conditionOf, type NewCondition } from './conditions.ts'
import { type Pin, runOfPin } from './pin.ts'

type RunName = Pick<Pin, 'namespace' | 'run'>

const noChanges = 'no changes'

/** The condition after a plan was made. `plannedOf` reads it. */
export const plannedAs = (run: RunName, { metadata, spec }: Pick<Plan, 'metadata' | 'spec'>): NewCondition => ({
  status: 'True',
  reason: plannedCondition,
  message: `${runOfPin(run)}: plan ${metadata.name}, ${spec.summary || noChanges}, digest ${spec.digest}`,
})

/** The condition after a change was planned that waits for a window. */
export const scheduledAs = ({ metadata, spec }: Pick<Plan, 'metadata' | 'spec'>): NewCondition => ({
  status: 'True',
  reason: plannedCondition,
  message: `plan ${metadata.name}, ${spec.summary || noChanges}`,
})

/** The condition when such a change can't be planned. */
export const notScheduled = (message: string): NewCondition => ({ status: 'False', reason: 'PlanFailed', message })

/** Whether the last pass over a unit has planned a change, or tried to, that waited for a window. */
export const wasScheduled = ({ status }: KubernetesObject): boolean => {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] }
  const message = conditionOf(conditions, plannedCondition)?.message
  return message !== undefined && !message.startsWith('RolloutRun ')
}

/** The condition when the revision can't be planned, or its plan was rejected. */
export const notPlanned = (run: RunName, reason: 'PlanFailed' | 'PlanRejected', message: string): NewCondition => ({
  status: 'False',
  reason,
  message: `${runOfPin(run)}: ${message}`,
})

export type ProposedPlan =
  | { readonly state: 'made'; readonly name: string; readonly summary: string; readonly digest: string }
  | { readonly state: 'refused'; readonly isRejected: boolean; readonly message: string; readonly since: number }
  | { readonly state: 'missing' }

/** What a unit says of its plan for a run. */
export const plannedOf = ({ status }: KubernetesObject, run: RunName): ProposedPlan => {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] }
  const condition = conditionOf(conditions, plannedCondition)
  const prefix = `${runOfPin(run)}: `
  if (!condition?.message.startsWith(prefix)) return { state: 'missing' }
  const text = condition.message.slice(prefix.length)
  if (condition.status === 'False')
    return {
      ...{ state: 'refused', isRejected: condition.reason === 'PlanRejected', message: text },
      since: Date.parse(condition.lastTransitionTime),
    }
  const [, name, summary, digest] = /^plan (\S+), (.*), digest (sha256:[0-9a-f]{64})$/.exec(text) ?? []
  return name && digest
    ? { state: 'made', name, digest, summary: summary === noChanges ? '' : (summary ?? '') }
    : { state: 'missing' }
}

/** `+3 ~1`: the sum of summaries. */
export const sumOf = (summaries: readonly string[]): string => {
  const counts = new Map<string, number>()
  for (const [, sign = '', count] of summaries.join(' ').matchAll(/([+~?-])(\d+)/g))
    counts.set(sign, (counts.get(sign) ?? 0) + Number(count))
  return ['+', '~', '-', '?'].flatMap(sign => (counts.has(sign) ? `${sign}${counts.get(sign)}` : [])).join(' ')
}
