/** The circuit breaker of a cluster that all processes of a hub share: it is in the status of its Cluster, and the probe keeps it. */
import type { Cluster } from '../kinds/cluster.ts'
import { conditionOf, timestamp } from './conditions.ts'
import { clusterUnreachable, describeOutage, type Outage } from './outage.ts'

type Breaker = NonNullable<NonNullable<Cluster['status']>['breaker']>

/** How exact `lastProbeTime` is, so that the probes of a dead cluster, one a minute, mostly write nothing. */
const stepMs = 5 * 60_000
/** An open breaker that was not confirmed for longer does not count: units then try by themselves. */
const staleAfterMs = 2 * stepMs

/** The breaker after another probe at this time. A cluster that has always responded has none. */
export const breakerAfter = (before: Breaker | undefined, responds: boolean, now: number): Breaker | undefined => {
  if (responds) return before?.state === 'Open' ? { state: 'Closed', since: timestamp(now) } : before
  if (before?.state !== 'Open') return { state: 'Open', since: timestamp(now), lastProbeTime: timestamp(now) }
  return isWithin(stepMs, before.lastProbeTime, now) ? before : { ...before, lastProbeTime: timestamp(now) }
}

const isWithin = (ms: number, time: string | undefined, now: number): boolean =>
  time !== undefined && Math.abs(now - Date.parse(time)) < ms

export const isBreakerOpen = ({ status }: Pick<Cluster, 'status'>): boolean => status?.breaker?.state === 'Open'

/** What probes know of a cluster. */
export interface Reachability {
  /** The outage for which units need not try: the last probe has found it a short time ago. */
  readonly outage?: Outage
  /** When the cluster responded again after an outage, in milliseconds since the epoch. */
  readonly recoveredAt?: number
}

/** What is known of Clusters with the same access: an outage only if none of them responds. */
export const reachabilityOf = (clusters: readonly Cluster[], now: number): Reachability => {
  const outages = clusters.map(cluster => outageOf(cluster, now))
  const [outage] = outages
  if (outage && outages.every(other => other !== undefined)) return { outage }
  const recoveries = clusters.flatMap(({ status }) =>
    status?.breaker?.state === 'Closed' ? Date.parse(status.breaker.since) : [],
  )
  return recoveries.length > 0 ? { recoveredAt: Math.max(...recoveries) } : {}
}

const outageOf = ({ status }: Cluster, now: number): Outage | undefined => {
  const { breaker, server, conditions } = status ?? {}
  const reachable = conditionOf(conditions, 'Reachable')
  if (breaker?.state !== 'Open' || !server || reachable?.reason !== clusterUnreachable) return undefined
  if (!isWithin(staleAfterMs, breaker.lastProbeTime, now)) return undefined
  const begin = describeOutage({ server, problem: '' })
  const { message } = reachable
  return { server, problem: message.startsWith(begin) ? message.slice(begin.length) : message }
}
