import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { maxBackOffMs } from '../../foundations/rules/schedule.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { DueObject, Schedule } from '../../platform/ports/schedule.ts'
import { stageOfVisit } from '../../platform/ports/visits.ts'
import { kindKey } from './addressing.ts'
import { lostAfterMs, type PassSettings } from './pass.ts'
import type { Reconciler } from './reconciler.ts'

/*
 * Due times are stored as times of the system's clock. When that clock was ahead and is set back, they are as far away as it was wrong,
 * and nothing would happen until then.
 */

export interface DuePorts {
  readonly hub: Pick<Hub, 'get'>
  readonly schedule: Pick<Schedule, 'setDue'> & {
    /** Objects due after a time (ms since the epoch). */
    dueAfter(time: number): Promise<readonly DueObject[]>
  }
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Makes due now what is due later than its interval and the jitter allow. With `mayBackOff` an object may also be as far away as the
 * longest pause after a failure: at a start, that is no sign of a wrong clock. Resolves to how many objects it was.
 */
export const bringNear = async (
  { hub, schedule, clock }: DuePorts,
  reconcilers: readonly Reconciler<KubernetesObject>[],
  { jitterPercentage, tickMs }: Pick<PassSettings, 'jitterPercentage' | 'tickMs'>,
  { mayBackOff }: { readonly mayBackOff: boolean },
): Promise<number> => {
  const byKind = new Map(reconcilers.map(reconciler => [kindKey(reconciler.kind), reconciler]))
  const now = clock.now()
  /** Whatever is on its way is due this much later than it will be looked at: see `conclude` and `tick`. */
  const onItsWay = tickMs + lostAfterMs
  const isTooFar = async ({ ref, due }: DueObject): Promise<boolean> => {
    // A visit knows its members' intervals, and looks only at those that are due or too far away.
    if (stageOfVisit(ref)) return !mayBackOff || due > now + longVisitMs
    const reconciler = byKind.get(kindKey(ref))
    const object = reconciler && (await hub.get<KubernetesObject>(ref))
    if (!object) return false
    const wait = (reconciler.longestWaitOf ?? reconciler.intervalOf)(object) * (1 + jitterPercentage / 100)
    return due > now + Math.max(wait, mayBackOff ? maxBackOffMs : 0) + onItsWay
  }
  let brought = 0
  for (const far of await schedule.dueAfter(now + onItsWay)) {
    if (!(await isTooFar(far))) continue
    await schedule.setDue(far.ref, now, { dueSeen: far.due })
    brought++
  }
  return brought
}

/** At a start nothing says that the clock was wrong, unless a visit is as far away as this. */
const longVisitMs = 24 * 60 * 60_000

/** By less than this the two clocks drift apart by themselves, as NTP speeds one of them up or slows it down. */
const toleranceMs = 2_000

/** Tells how far the system's clock has been set since it was asked last: milliseconds, negative = back, 0 = not at all. */
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
