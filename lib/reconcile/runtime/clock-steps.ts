import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { maxBackOffMs } from '../../foundations/rules/schedule.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { DueObject, Schedule } from '../../platform/ports/schedule.ts'
import { stageOfVisit } from '../../platform/ports/visits.ts'
import { kindKey } from './addressing.ts'
import { lostAfterMs } from './lost-messages.ts'
import type { PassSettings } from './pass-run.ts'
import type { Reconciler } from './reconciler.ts'

/*
 * Due times are stored in the system clock's time. If that clock ran ahead and is set back, every due time is that much too far in the
 * future, and nothing would be reconciled until then.
 */

export interface DuePorts {
  readonly hub: Pick<Hub, 'get'>
  readonly schedule: Pick<Schedule, 'setDue'> & {
    /** Objects due after this time (ms since the epoch). */
    dueAfter(time: number): Promise<readonly DueObject[]>
  }
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Makes objects due now if their due time is further away than interval and jitter allow. With `mayBackOff`, a due time may also be as far
 * away as the longest back-off: after a start that does not indicate a wrong clock. Resolves to the number of objects.
 */
export const correctDueTimes = async (
  { hub, schedule, clock }: DuePorts,
  reconcilers: readonly Reconciler<KubernetesObject>[],
  { jitterPercentage, tickMs }: Pick<PassSettings, 'jitterPercentage' | 'tickMs'>,
  { mayBackOff }: { readonly mayBackOff: boolean },
): Promise<number> => {
  const byKind = new Map(reconcilers.map(reconciler => [kindKey(reconciler.kind), reconciler]))
  const now = clock.now()
  /** A message in flight has a due time this much later than its arrival: see `conclude` and `tick`. */
  const inFlight = tickMs + lostAfterMs
  const isTooFar = async ({ ref, due }: DueObject): Promise<boolean> => {
    // A visit knows its members' intervals, and checks only members that are due or too far in the future.
    if (stageOfVisit(ref)) return !mayBackOff || due > now + longVisitMs
    const reconciler = byKind.get(kindKey(ref))
    const object = reconciler && (await hub.get<KubernetesObject>(ref))
    if (!object) return false
    const wait = (reconciler.maxWaitOf ?? reconciler.intervalOf)(object) * (1 + jitterPercentage / 100)
    return due > now + Math.max(wait, mayBackOff ? maxBackOffMs : 0) + inFlight
  }
  let corrected = 0
  for (const far of await schedule.dueAfter(now + inFlight)) {
    if (!(await isTooFar(far))) continue
    await schedule.setDue(far.ref, now, { dueSeen: far.due })
    corrected++
  }
  return corrected
}

/** After a start nothing indicates a wrong clock, unless a visit is at least this far away. */
const longVisitMs = 24 * 60 * 60_000

/** The two clocks may drift apart by less than this on their own, while NTP slews one of them. */
const toleranceMs = 2_000

/** Returns how far the system clock was set since the last call: milliseconds, negative = back, 0 = not at all. */
export const clockWatch = (clock: Pick<Clock, 'now' | 'monotonic'>): (() => number) => {
  const offset = (): number => clock.now() - clock.monotonic()
  let known = offset()
  return () => {
    const current = offset()
    const step = current - known
    known = current
    return Math.abs(step) < toleranceMs ? 0 : Math.round(step)
  }
}
