/** The local time in some time zone. Months count from 1. */
export interface WallTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

export type CalendarDate = Pick<WallTime, 'year' | 'month' | 'day'>

/** A day by the clocks of a time zone. */
export interface LocalDay {
  /** Clocks are not changed on this day: each local time occurs exactly once. */
  readonly isRegular: boolean
  /**
   * The moments with this local time, in ms since the epoch: none if clocks skip it, two if they repeat it. The
   * earliest first.
   */
  momentsAt(hour: number, minute: number): readonly number[]
}

export interface TimeZone {
  wallTimeOf(ms: number): WallTime
  dayOf(date: CalendarDate): LocalDay
}

/** A time zone of the tz database; undefined for an unknown name. */
export const timeZone = (name: string): TimeZone | undefined => {
  const format = formatFor(name)
  if (!format) return undefined
  const wallTimeOf = (ms: number): WallTime => {
    const [month, day, year, hour, minute] = written.exec(format.format(ms))!.slice(1).map(Number) as Numbers
    return { year, month, day, hour, minute }
  }
  const offsetAt = (ms: number): number => asUtc(wallTimeOf(ms)) - Math.floor(ms / minuteMs) * minuteMs
  return {
    wallTimeOf,
    dayOf: ({ year, month, day }) => {
      const midnight = Date.UTC(year, month - 1, day)
      // Local time differs from UTC by less than a day, and clocks are changed at most once in these three days.
      const offsets = [...new Set([offsetAt(midnight - dayMs), offsetAt(midnight + 2 * dayMs)])]
      const isRegular = offsets.length === 1
      return {
        isRegular,
        momentsAt: (hour, minute) => {
          const utc = midnight + (hour * 60 + minute) * minuteMs
          const candidates = offsets.map(offset => utc - offset).sort((a, b) => a - b)
          return isRegular ? candidates : candidates.filter(ms => asUtc(wallTimeOf(ms)) === utc)
        },
      }
    },
  }
}

/** As `formatFor` writes times: `11/28/2026, 22:10`. To take this apart takes half of the time that `formatToParts` does. */
const written = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+)$/
type Numbers = [month: number, day: number, year: number, hour: number, minute: number]

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const asUtc = ({ year, month, day, hour, minute }: WallTime): number => Date.UTC(year, month - 1, day, hour, minute)

/** Intl also accepts offsets (`+01:00`), which are not names of time zones. */
const formatFor = (timeZone: string): Intl.DateTimeFormat | undefined => {
  if (!/^[A-Za-z]/.test(timeZone)) return undefined
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
    } as const)
  } catch {
    return undefined
  }
}
