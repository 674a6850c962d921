import type { Zone } from './zone.ts'

/** The parts of a time that a layout prints. */
export interface ShownTime {
  /** Read with its UTC getters. */
  readonly clock: Date
  /** Nanoseconds within the second. */
  readonly fraction: number
  readonly zone: Zone
}

/** The elements of a layout, which spells Mon Jan 2 15:04:05 2006 -0700 in some form. */
const PIECES =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|-07:00:00|-070000|-07:00|-0700|-07|Z07:00:00|Z070000|Z07:00|Z0700|Z07|002|0[1-6]|__2|_2(?!006)|15|PM|pm|[.,]0+(?!\d)|[.,]9+(?!\d)|[1-5]/g

/** A layout as elements and the text between them. */
export const splitLayout = (layout: string): { piece: string; before: string }[] => {
  const parts: { piece: string; before: string }[] = []
  let end = 0
  for (const { 0: piece, index } of layout.matchAll(PIECES)) {
    parts.push({ piece, before: layout.slice(end, index) })
    end = index + piece.length
  }
  return [...parts, { piece: '', before: layout.slice(end) }]
}

export const MONTHS = 'January February March April May June July August September October November December'.split(' ')
export const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

const padded = (value: number, width: number): string =>
  (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(width, '0')
const two = (value: number): string => padded(value, 2)

/** time.Time.Format. */
export const formatTime = (time: ShownTime, layout: string): string =>
  splitLayout(layout)
    .map(({ before, piece }) => before + (piece && show(time, piece)))
    .join('')

const show = ({ clock, fraction, zone }: ShownTime, piece: string): string => {
  const [month, hour] = [clock.getUTCMonth(), clock.getUTCHours()]
  switch (piece) {
    case '2006':
      return padded(clock.getUTCFullYear(), 4)
    case '06':
      return two(Math.abs(clock.getUTCFullYear()) % 100)
    case 'January':
      return MONTHS[month]!
    case 'Jan':
      return MONTHS[month]!.slice(0, 3)
    case '01':
      return two(month + 1)
    case '1':
      return String(month + 1)
    case 'Monday':
      return WEEKDAYS[clock.getUTCDay()]!
    case 'Mon':
      return WEEKDAYS[clock.getUTCDay()]!.slice(0, 3)
    case '02':
      return two(clock.getUTCDate())
    case '_2':
      return String(clock.getUTCDate()).padStart(2)
    case '2':
      return String(clock.getUTCDate())
    case '002':
      return padded(yearDay(clock), 3)
    case '__2':
      return String(yearDay(clock)).padStart(3)
    case '15':
      return two(hour)
    case '03':
      return two(hour % 12 || 12)
    case '3':
      return String(hour % 12 || 12)
    case '04':
      return two(clock.getUTCMinutes())
    case '4':
      return String(clock.getUTCMinutes())
    case '05':
      return two(clock.getUTCSeconds())
    case '5':
      return String(clock.getUTCSeconds())
    case 'PM':
      return hour >= 12 ? 'PM' : 'AM'
    case 'pm':
      return hour >= 12 ? 'pm' : 'am'
    case 'MST':
      return zone.name || showOffset(zone.offset, '-0700')
  }
  return /[.,]/.test(piece) ? showFraction(fraction, piece) : showOffset(zone.offset, piece)
}

/** Milliseconds since 1970; months count from 0, days from 1, and both may overflow into the following years. */
export const startOfDay = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month, day)

/** Day of the year, from 1. `clock` is read in UTC. */
export const yearDay = (clock: Date): number =>
  Math.floor((clock.getTime() - startOfDay(clock.getUTCFullYear(), 0, 1)) / 86_400_000) + 1

/** `.000` always prints that many digits, `.999` without trailing zeros. */
const showFraction = (fraction: number, piece: string): string => {
  const digits = padded(fraction, 9).slice(0, piece.length - 1)
  if (piece[1] === '0') return piece[0] + digits
  const shown = digits.replace(/0+$/, '')
  return shown && piece[0] + shown
}

const showOffset = (offset: number, piece: string): string => {
  if (piece.startsWith('Z') && offset === 0) return 'Z'
  // The sign is that of the minutes: seconds alone have their own.
  const minutes = Math.trunc(offset / 60)
  const size = Math.abs(minutes)
  const parts = [two(Math.floor(size / 60)), two(size % 60), two((minutes < 0 ? -offset : offset) % 60)]
  const count = piece.replace(/[^0-9]/g, '').length / 2
  return (minutes < 0 ? '-' : '+') + parts.slice(0, count).join(piece.includes(':') ? ':' : '')
}
