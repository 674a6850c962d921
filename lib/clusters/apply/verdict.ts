import { ClusterError } from '../client/client.ts'
import { describeHealth, type Health } from './health.ts'

/** The health of all objects of an owner. `missing`: some that were applied do not exist. */
export type HealthVerdict =
  | { readonly type: 'healthy' }
  | { readonly type: 'unhealthy'; readonly message: string }
  | { readonly type: 'waiting'; readonly missing: boolean }

export interface WaitPolicy {
  /** The timeout has passed. */
  readonly isTimeUp: boolean
  /** One failed object ends the wait for the others. */
  readonly failFast: boolean
  /** A missing Job has run and its time to live has ended. Otherwise it counts as missing like any object. */
  readonly jobsMayBeGone: boolean
}

/** The verdict of one poll. An unreachable cluster may come back: only the timeout ends that. */
export const verdictOf = async (
  poll: Promise<readonly Health[]>,
  { isTimeUp, failFast, jobsMayBeGone }: WaitPolicy,
): Promise<HealthVerdict> => {
  let all: readonly Health[]
  try {
    all = await poll
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    return isTimeUp ? { type: 'unhealthy', message: error.message } : { type: 'waiting', missing: false }
  }
  const notHealthy = all.filter(one => one.status !== 'Current' && !(jobsMayBeGone && isMissingJob(one)))
  const failed = notHealthy.filter(({ status }) => status === 'Failed')
  if (notHealthy.length === 0) return { type: 'healthy' }
  if (isTimeUp) return unhealthy('timeout waiting for', notHealthy)
  if (failed.length > 0 && (failFast || failed.length === notHealthy.length))
    return unhealthy('failed early due to stalled resources', failed)
  return { type: 'waiting', missing: notHealthy.some(({ status }) => status === 'NotFound') }
}

const isMissingJob = ({ ref, status }: Health): boolean =>
  status === 'NotFound' && ref.kind === 'Job' && ref.group === 'batch'

const unhealthy = (what: string, health: readonly Health[]): HealthVerdict => ({
  type: 'unhealthy',
  message: `${what}: [${health.map(describeHealth).join(', ')}]`,
})
