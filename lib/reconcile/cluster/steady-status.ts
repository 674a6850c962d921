import { formatDuration, parseDuration } from '../../foundations/kinds/duration.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'

/**
 * Each probe measures another latency and another time. The status keeps the stored ones while they are about right, so that a hub with a
 * thousand unchanged clusters writes nothing.
 */

const keptMs = 6 * 3_600_000

/** Shorter latencies count as equal: a part of them is the wait for the hub's own processor. */
const briefMs = 50
const factor = 4

/** The latency to show: the stored one, while the measured one is between a quarter of it and four times as much. Whole milliseconds. */
export const steadyLatency = (stored: string | undefined, measuredMs: number): string => {
  const before = parseDuration(stored ?? '')
  const isNearlyTrue =
    before !== undefined &&
    (Math.max(before, measuredMs) <= briefMs || (measuredMs >= before / factor && measuredMs <= before * factor))
  return isNearlyTrue ? stored! : formatDuration(Math.max(1, Math.round(measuredMs)))
}

/** The time of the last contact to show: the stored one, while it is less than six hours ago. */
export const steadyContactTime = (stored: string | undefined, now: number): string =>
  stored !== undefined && Math.abs(now - Date.parse(stored)) < keptMs ? stored : timestamp(now)
