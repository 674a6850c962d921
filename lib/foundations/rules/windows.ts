/** What windows hold back at a time, why, and until when. Pure; times are in milliseconds since the epoch. */
import { type Cron, parseCron } from '../calendar/cron.ts'
import { durationMs } from '../kinds/duration.ts'
import { type HeldOperation, heldBy, heldOperations, type Window } from '../kinds/window.ts'

/** The windows of one object. */
export interface WindowList {
  /** For messages: `Cluster apps/prod`. */
  readonly owner: string
  readonly windows: readonly Window[]
}

export interface Hold {
  /** When it ends; absent if that is not known. */
  readonly until?: number
  /** A clause for messages, without a full stop. */
  readonly why: string
}

export type Holds = Readonly<Partial<Record<HeldOperation, Hold>>>

/**
 * What is held back at a time. Each list applies independently, so that a unit's windows can't open those of its
 * cluster: an operation is held while a Deny lasts, and where a list has an Allow for it, while none of those lasts.
 * Windows must be valid.
 */
export const holdsAt = (lists: readonly WindowList[], now: number): Holds => {
  const read = lists.map(({ owner, windows }) => windows.map(window => readWindow(window, owner)))
  return Object.fromEntries(
    heldOperations.flatMap(thing => {
      const concerned = read
        .map(windows => windows.filter(({ window }) => heldBy(window).includes(thing)))
        .filter(windows => windows.length > 0)
      const why = whyHeld(concerned, now)
      if (why === undefined) return []
      const until = endOf(concerned, now)
      return [[thing, { why, ...(until !== undefined && { until }) }]]
    }),
  )
}

interface ReadWindow {
  readonly window: Window
  readonly owner: string
  readonly cron: Cron
  readonly lengthMs: number
}

const readWindow = (window: Window, owner: string): ReadWindow => ({
  window,
  owner,
  cron: parseCron(window.schedule, window.timeZone ?? 'UTC'),
  lengthMs: durationMs(window.duration),
})

const whyHeld = (lists: readonly (readonly ReadWindow[])[], now: number): string | undefined => {
  const deny = denies(lists.flat()).find(window => isOpen(window, now))
  if (deny) return `in the Deny window ${describeWindow(deny.window)} of ${deny.owner}`
  const [[first, ...others] = []] = closedLists(lists, now)
  if (!first) return undefined
  const more = others.length > 0 ? ` and of ${others.length} more` : ''
  return `outside of the Allow window ${describeWindow(first.window)}${more} of ${first.owner}`
}

/** `"0 1 * * *" for 2h (Europe/Berlin; after the backup)`. */
const describeWindow = ({ schedule, duration, timeZone = 'UTC', description }: Window): string =>
  `"${schedule}" for ${duration} (${timeZone}${description ? `; ${description}` : ''})`

type Span = Pick<ReadWindow, 'cron' | 'lengthMs'>

/** A window is open from its start, inclusive, to its end, exclusive. */
const isOpen = ({ cron, lengthMs }: Span, at: number): boolean => {
  const start = cron.next(at - lengthMs)
  return start !== undefined && start <= at
}

/**
 * Bounds for windows whose starts come so often that they may never end: a time before the end is enough, as holds are
 * evaluated again then.
 */
const maxStarts = 64
const maxSteps = 16

/** The end of an open window; a window that starts again before its end continues. */
const closesAt = ({ cron, lengthMs }: Span, at: number): number => {
  let end = at
  for (let starts = 0, start = cron.next(at - lengthMs); starts < maxStarts; starts++, start = cron.next(start)) {
    if (start === undefined || start > Math.max(end, at)) break
    end = start + lengthMs
  }
  return end
}

/**
 * The first time at which nothing is held any more: when all Denies have ended, and each list with Allows has an open
 * one.
 */
const endOf = (lists: readonly (readonly ReadWindow[])[], now: number): number | undefined => {
  let at = now
  for (let step = 0; step < maxSteps && whyHeld(lists, at) !== undefined; step++) {
    const ends = denies(lists.flat()).flatMap(window => (isOpen(window, at) ? closesAt(window, at) : []))
    const starts = closedLists(lists, at).map(windows =>
      Math.min(...windows.map(({ cron }) => cron.next(at) ?? Number.POSITIVE_INFINITY)),
    )
    at = Math.max(...(ends.length > 0 ? ends : starts))
    if (at === Number.POSITIVE_INFINITY) return undefined
  }
  return at
}

const denies = (windows: readonly ReadWindow[]): readonly ReadWindow[] =>
  windows.filter(({ window }) => window.action === 'Deny')

/** The Allows of each list that has Allows, none of which is open. */
const closedLists = (lists: readonly (readonly ReadWindow[])[], at: number): readonly (readonly ReadWindow[])[] =>
  lists
    .map(windows => windows.filter(({ window }) => window.action === 'Allow'))
    .filter(allows => allows.length > 0 && !allows.some(window => isOpen(window, at)))
