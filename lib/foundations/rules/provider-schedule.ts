/** When an input provider polls: at the times of its schedules, or within windows that start then. Pure. */

import { type Cron, parseCron } from '../calendar/cron.ts'
import { durationMs, formatDuration } from '../kinds/duration.ts'
import type { ProviderSchedule } from '../kinds/resource-set-input-provider.ts'

export interface Timetable {
  /** Whether a poll may start now. Always, if there is no schedule, or one without a window. */
  mayRun(now: number): boolean
  /** When the next poll is due after one at `now`; undefined: after the interval, as there is no schedule or its window is open. */
  nextStart(now: number, intervalMs: number): NextStart | undefined
}

export interface NextStart {
  readonly schedule: ProviderSchedule
  readonly at: number
}

interface Entry {
  readonly schedule: ProviderSchedule
  readonly cron: Cron
  readonly windowMs: number
}

/** Fails with the index of an invalid schedule and flux-operator's message. `timeoutMs`: maximum duration of a poll. */
export const timetable = (schedules: readonly ProviderSchedule[], timeoutMs: number): Timetable => {
  const entries = schedules.map((schedule, index) => {
    try {
      return read(schedule, timeoutMs)
    } catch (error) {
      throw new Error(`failed to validate schedule[${index}]: ${(error as Error).message}`)
    }
  })
  /** Whether a poll that starts at a time would end within a window. */
  const isOpen = (at: number): boolean =>
    entries.some(({ cron, windowMs }) => {
      if (windowMs === 0) return false
      const end = at + timeoutMs
      const start = cron.next(end - windowMs - 1)
      return start !== undefined && start <= at
    })
  return {
    mayRun: now => entries.length === 0 || entries.some(({ windowMs }) => windowMs === 0) || isOpen(now),
    nextStart: (now, intervalMs) => {
      if (entries.length === 0 || isOpen(now + intervalMs)) return undefined
      const starts = entries.flatMap(({ schedule, cron }) => {
        const at = cron.next(now)
        return at === undefined ? [] : [{ schedule, at }]
      })
      return starts.sort((a, b) => a.at - b.at)[0]
    },
  }
}

const read = (schedule: ProviderSchedule, timeoutMs: number): Entry => {
  const { cron, timeZone = 'UTC', window = '0s' } = schedule
  const windowMs = durationMs(window)
  if (windowMs !== 0 && windowMs < 2 * timeoutMs)
    throw new Error(
      `a non-zero window (${formatDuration(windowMs)}) must always be at least twice the timeout (${formatDuration(timeoutMs)})`,
    )
  try {
    return { schedule, cron: parseCron(cron, timeZone), windowMs }
  } catch (error) {
    throw new Error(`failed to parse cron spec '${cron}' with timezone '${timeZone}': ${(error as Error).message}`)
  }
}
