import { parseDuration } from '../foundations/kinds/duration.ts'
import { CommandFailed } from './command-failed.ts'

/** Values that fields must have, by path. */
export type FieldTerms = Readonly<Record<string, string>>

/**
 * The terms as a field selector, of which all must hold. Commas, backslashes and equals signs are escaped as Kubernetes
 * does.
 */
export const fieldSelectorOf = (terms: FieldTerms): string =>
  Object.entries(terms)
    .map(([field, value]) => `${field}=${value.replace(/[\\,=]/g, '\\$&')}`)
    .join(',')

interface TimeRange {
  readonly since?: string
  readonly until?: string
}

/** The terms of a time range, in which records have begun. `now` in milliseconds since the epoch. */
export const timeTerms = ({ since, until }: TimeRange, now: number): FieldTerms => {
  const [from, to] = [since, until].map(text => (text === undefined ? undefined : timeOf(text, now)))
  if (from !== undefined && to !== undefined && to < from)
    throw new CommandFailed(`--until ${until} is before --since ${since}`)
  return {
    ...(from !== undefined && { since: new Date(from).toISOString() }),
    ...(to !== undefined && { until: new Date(to).toISOString() }),
  }
}

const dayMs = 24 * 60 * 60_000

/** Parses a time. A time of day is the most recent one, in the local time zone. */
export const timeOf = (text: string, now: number): number => {
  const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? []
  if (hours !== undefined) {
    const time = new Date(now).setHours(Number(hours), Number(minutes), Number(seconds), 0)
    return time <= now ? time : new Date(time - dayMs).setHours(Number(hours), Number(minutes), Number(seconds), 0)
  }
  const ago = parseDuration(text)
  if (ago !== undefined) return now - ago
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  throw new CommandFailed(`'${text}' is not a time: expected 14:00, 2026-11-27T14:00:00Z, or 2h for two hours ago`)
}
