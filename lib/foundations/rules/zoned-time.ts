/** The local time in some time zone. Months count from 1, days of the week from 0, Sunday. */
export interface WallTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly weekday: number
}

export interface TimeZone {
  wallTimeOf(ms: number): WallTime
  /** The first moment with this local time; undefined if it is skipped (clocks put forward). */
  momentOf(wall: Omit<WallTime, 'weekday'>): number | undefined
}

/** A time zone of the tz database; undefined for an unknown name. */
export const timeZone = (name: string): TimeZone | undefined => {
  const format = formatFor(name)
  if (!format) return undefined
  const wallTimeOf = (ms: number): WallTime => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const { year, month, day, hour, minute } = parts as unknown as Omit<WallTime, 'weekday'>
    return { year, month, day, hour, minute, weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay() }
  }
  const offsetAt = (ms: number): number => asUtc(wallTimeOf(ms)) - Math.floor(ms / minuteMs) * minuteMs
  return {
    wallTimeOf,
    momentOf: wall => {
      const utc = asUtc(wall)
      // Offsets change by hours at most, so only those of a day before and a day after are possible.
      const candidates = [offsetAt(utc - dayMs), offsetAt(utc + dayMs)].map(offset => utc - offset)
      return candidates.sort((a, b) => a - b).find(ms => asUtc(wallTimeOf(ms)) === utc)
    },
  }
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const asUtc = ({ year, month, day, hour, minute }: Omit<WallTime, 'weekday'>): number =>
  Date.UTC(year, month - 1, day, hour, minute)

const formatFor = (timeZone: string): Intl.DateTimeFormat | undefined => {
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
