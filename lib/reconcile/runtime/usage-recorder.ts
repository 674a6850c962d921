import { describeTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import { timesUsage, type Usage } from '../../foundations/rules/usage.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Random } from '../../platform/ports/random.ts'
import { dayOf, type UsageStore } from '../../platform/ports/usage.ts'
import type { PassRun } from './pass-run.ts'
import type { Share } from './usage-shares.ts'

export interface UsageRecorderPorts {
  readonly usage: UsageStore
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'fraction'>
  readonly log: Log
}

/** What a pass, or the checks of a visit, used for one namespace and cluster. */
export interface MeteredWork {
  readonly namespace: string
  readonly cluster: string
  readonly usage: Usage
}

/** Of a unit, for people: see UsageOf. */
export const usageCluster = (target: TargetReference | undefined): string =>
  target === undefined ? 'hub' : describeTarget(target)

/** `share`: what of the process's own use the pass caused. `now`: when it ended, in milliseconds since the epoch. */
export const usageOfPass = ({ object, startedAt, notes, tally }: PassRun, share: Share, now: number): MeteredWork => ({
  namespace: object.metadata.namespace ?? '',
  cluster: usageCluster(notes.all().cluster),
  usage: { passes: 1, ms: Math.max(0, now - startedAt), ...tally, ...share },
})

/**
 * Adds work to the sums of its day. Of work at rest, which is alike, the platform may store a part, for all of it. A failure is logged: nothing else
 * depends on the sums.
 */
export const createUsageRecorder = ({ usage, clock, random, log }: UsageRecorderPorts) => {
  const { checksPerRecord } = usage
  return async (works: readonly MeteredWork[], isAtRest: boolean): Promise<void> => {
    if (isAtRest && random.fraction() * checksPerRecord >= 1) return
    const day = dayOf(clock.now())
    for (const { namespace, cluster, usage: used } of works)
      await usage
        .add({ namespace, cluster, day }, isAtRest ? timesUsage(checksPerRecord, used) : used)
        .catch(error => log.error('failed to record usage', { namespace, cluster, error }))
  }
}

export type RecordUsage = ReturnType<typeof createUsageRecorder>
