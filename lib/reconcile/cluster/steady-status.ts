import { formatDuration, parseDuration } from '../../foundations/kinds/duration.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'

/**
 * Each probe measures another latency and another time. The status keeps the stored ones while they are about right, so that a hub with a
 * thousand unchanged clusters writes nothing.
 */

const hour = 3_600_000

/** Shorter latencies count as equal. */
const briefMs = 10

/** The latency to show: the stored one, while the measured one is between half of it and twice as much. Whole milliseconds. */
export const steadyLatency = (stored: string | undefined, measuredMs: number): string => {
  const before = parseDuration(stored ?? '')
  const isNearlyTrue =
    before !== undefined &&
    (Math.max(before, measuredMs) <= briefMs || (measuredMs >= before / 2 && measuredMs <= before * 2))
  return isNearlyTrue ? stored! : formatDuration(Math.max(1, Math.round(measuredMs)))
}

/** The time of the last contact to show: the stored one, while it is less than an hour ago. */
export const steadyContactTime = (stored: string | undefined, now: number): string =>
  stored !== undefined && Math.abs(now - Date.parse(stored)) < hour ? stored : timestamp(now)
