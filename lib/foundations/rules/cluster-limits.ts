import type { Cluster } from '../kinds/cluster.ts'

type Limits = NonNullable<Cluster['spec']['limits']>

/** What each pass over a unit of a cluster gets. */
export interface PassShare {
  /** Passes at a time over all units of the cluster. */
  readonly passes: number
  /** Requests of one pass at a time; any number if absent. */
  readonly requests?: number
  /** Requests of one pass per second; any number if absent. */
  readonly perSecond?: number
}

/** Passes at a time where only requests are limited. */
const passesByDefault = 4

/**
 * Divides the limits of a cluster among passes, so that the sum holds without any process knowing what the others do: 20 requests and 4 passes
 * make 5 requests each. Of several Clusters with the same access, the lowest limits apply. Undefined without limits.
 */
export const shareOf = (clusters: readonly Cluster[]): PassShare | undefined => {
  const lowest = (field: keyof Limits): number | undefined => {
    const given = clusters.flatMap(({ spec }) => spec.limits?.[field] ?? [])
    return given.length > 0 ? Math.min(...given) : undefined
  }
  const most = lowest('concurrentPasses')
  const [requests, perSecond] = [lowest('concurrentRequests'), lowest('requestsPerSecond')]
  const shared = [requests, perSecond].filter(limit => limit !== undefined)
  if (shared.length === 0) return most === undefined ? undefined : { passes: most }
  const passes = Math.min(most ?? passesByDefault, ...shared)
  return {
    passes,
    ...(requests !== undefined && { requests: Math.floor(requests / passes) }),
    ...(perSecond !== undefined && { perSecond: perSecond / passes }),
  }
}
