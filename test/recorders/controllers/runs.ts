import { isDeepStrictEqual } from 'node:util'
import type { Expectation, RecordedEvent, Step, Transitions } from '../../conformance/flux/scenario.ts'

/** What several runs of a step have in common; states and events of some of them are optional, other differences `${ANY}`. */
export const commonOf = (runs: readonly Expectation[]): Expectation => {
  const [first, ...others] = runs as [Expectation, ...Expectation[]]
  const rest = others.map(withoutNotices).reduce((a, b) => common(a, b) as typeof a, withoutNotices(first))
  const states = statesOf(runs.map(run => run.transitions ?? {}))
  const told = eventsOf(runs.map(run => run.events ?? []))
  return {
    ...rest,
    transitions: states.always,
    ...(Object.keys(states.sometimes).length > 0 && { optionalTransitions: states.sometimes }),
    events: told.always,
    ...(told.sometimes.length > 0 && { optionalEvents: told.sometimes }),
  }
}

const withoutNotices = ({ transitions, events, ...rest }: Expectation) => rest

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const common = (a: unknown, b: unknown): unknown => {
  if (isDeepStrictEqual(a, b)) return a
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) return a.map((item, at) => common(item, b[at]))
  if (!isFields(a) || !isFields(b)) return '${ANY}'
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return Object.fromEntries(keys.map(key => [key, common(a[key], b[key])]))
}

type States = readonly (string | readonly string[])[]

const statesOf = (runs: readonly Transitions[]): { readonly always: Transitions; readonly sometimes: Transitions } => {
  const objects = [...new Set(runs.flatMap(run => Object.keys(run)))]
  const parts = objects.map(object => [object, split(runs.map(run => run[object] ?? []))] as const)
  const pick = (side: 'always' | 'sometimes') =>
    Object.fromEntries(
      parts.map(([object, part]) => [object, part[side] as States]).filter(([, states]) => states!.length > 0),
    )
  return { always: pick('always'), sometimes: pick('sometimes') }
}

const eventsOf = (runs: readonly (readonly RecordedEvent[])[]) => split(runs)

/** What is in all lists, in the order of the first; and the rest. */
const split = <T>(
  lists: readonly (readonly T[])[],
): { readonly always: readonly T[]; readonly sometimes: readonly T[] } => {
  const has = (list: readonly T[], item: T) => list.some(other => isDeepStrictEqual(other, item))
  const always = lists[0]!.filter(item => lists.every(list => has(list, item)))
  const rest = lists.flat().filter(item => !has(always, item))
  return { always, sometimes: [...new Map(rest.map(item => [JSON.stringify(item), item])).values()] }
}

/** What is as in the step before is called so. */
export const withoutRepeats = (steps: readonly Step[]): readonly Step[] => {
  const before = { objects: {}, storage: {}, live: {} } as { [section: string]: Record<string, unknown> }
  return steps.map(({ expect, ...step }) => {
    const { objects, storage, live } = expect
    const short = (section: string, all: Readonly<Record<string, unknown>> = {}) => {
      const known = before[section]!
      const entries = Object.entries(all).map(
        ([key, one]) =>
          [key, known[key] !== undefined && isDeepStrictEqual(known[key], one) ? 'unchanged' : one] as const,
      )
      before[section] = { ...all }
      return Object.fromEntries(entries)
    }
    return {
      ...step,
      expect: {
        ...expect,
        objects: short('objects', objects),
        ...(storage && { storage: short('storage', storage) }),
        ...(live && { live: shortLive(before.live!, live) }),
      } as Expectation,
    }
  })
}

/** Of live objects only the content repeats: whether they were written is told anew. */
const shortLive = (
  before: Record<string, unknown>,
  live: NonNullable<Expectation['live']>,
): NonNullable<Expectation['live']> =>
  Object.fromEntries(
    Object.entries(live).map(([key, seen]) => {
      const isSame = seen !== null && before[key] !== undefined && isDeepStrictEqual(before[key], seen.content)
      if (seen) before[key] = seen.content
      else delete before[key]
      return [key, isSame ? { ...seen, content: 'unchanged' as const } : seen]
    }),
  )

/** What failed in a step may be tried and told once more before the next step takes hold. */
export const withoutEchoes = (steps: readonly Step[]): readonly Step[] =>
  steps.map((step, at) => {
    const told = steps[at - 1]?.expect.events?.filter(({ type }) => type === 'Warning') ?? []
    const { events = [], optionalEvents = [] } = step.expect
    const isEcho = (event: RecordedEvent) => told.some(before => isDeepStrictEqual(before, event))
    const echoes = events.filter(isEcho)
    if (echoes.length === 0) return step
    const rest = events.filter(event => !isEcho(event))
    return { ...step, expect: { ...step.expect, events: rest, optionalEvents: [...optionalEvents, ...echoes] } }
  })
