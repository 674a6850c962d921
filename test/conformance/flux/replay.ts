import { patienceOf } from '../../bed/patience.ts'
import { difference } from '../suite.ts'
import { artifactFilesOf } from './artifact-files.ts'
import type { Beds } from './beds.ts'
import { drivers } from './drivers.ts'
import { lookAtLive, type SeenLive, withoutStatusManagers } from './live.ts'
import { perform } from './perform.ts'
import { releasesOf } from './release-storage.ts'
import type { RecordedEvent, RecordedLive, Rejection, Scenario, Step, Transitions } from './scenario.ts'
import { statusesOf } from './statuses.ts'
import { named, settled } from './texts.ts'
import { isReached } from './until.ts'
import { startWatching, type Watching } from './watching.ts'
import { type KeelsonWorld, openWorld, type World } from './world.ts'

/**
 * Plays a scenario to Keelson, on real clusters and against real servers, and compares what is seen at the end of each step
 * with what was recorded of Flux. Yields a difference per aspect and step; none when it does the same. `isThroughRunner`: a runner reconciles the
 * Kustomizations.
 */
export const replay = async (scenario: Scenario, beds: Beds, isThroughRunner = false): Promise<readonly string[]> => {
  await using world = await openWorld(scenario, beds, {}, isThroughRunner)
  const problems: string[] = []
  let before: Readonly<Record<string, unknown>> = {}
  const recordedLive = new Map<string, unknown>()
  let recordedStorage: Readonly<Record<string, unknown>> = {}
  for (const [index, step] of scenario.steps.entries()) {
    const statesBefore = named(await statusesOf(world), world.placeholders)
    const watching = await startWatching(world)
    const rejected: Rejection[] = []
    for (const operation of step.do) rejected.push(...(await perform(world, operation)))
    const missed = await reach(world, step, watching)
    const expectedStatuses = Object.fromEntries(
      Object.entries(step.expect.objects).map(([key, status]) => [key, status === 'unchanged' ? before[key] : status]),
    )
    before = { ...before, ...expectedStatuses }
    const comparing =
      (found: string[]): Compare =>
      (what, actual, expected) => {
        const problem = difference(text(actual), text(settled(expected, actual)))
        if (problem) found.push(`step ${index}, ${what}:\n${problem}`)
      }
    const compare = comparing(problems)
    if (missed) problems.push(`step ${index}: never came: ${missed}`)
    compare('statuses', uncounted(await statusesUntil(world, expectedStatuses)), uncounted(expectedStatuses))
    compare('refused', named(rejected, world.placeholders), step.expect.rejected ?? [])
    for (const [key, expected] of Object.entries(step.expect.live ?? {})) {
      if (typeof expected === 'string') continue // it was not the same in all runs
      const wanted = wantedLive(expected, recordedLive.get(key))
      if (expected) recordedLive.set(key, wanted?.content)
      else recordedLive.delete(key)
      const { shown, object } = await lookUntil(world, key, wanted)
      compare(key, named(comparableLive(shown, wanted), world.placeholders), wanted)
      if (object) world.live.set(key, object)
      else world.live.delete(key)
    }
    if (scenario.area === 'helmrelease') {
      const before = recordedStorage
      recordedStorage = Object.fromEntries(
        Object.entries(step.expect.storage ?? {}).map(([key, one]) => [key, one === 'unchanged' ? before[key] : one]),
      )
      compare('stored releases', named(await releasesOf(world), world.placeholders), recordedStorage)
    }
    for (const [key, files] of Object.entries(step.expect.artifactFiles ?? {}))
      compare(`files of ${key}`, named(await artifactFilesOf(world, key, files), world.placeholders), files)
    const previous = scenario.steps[index - 1]
    const seen = await noticedUntil(found => {
      compareTransitions(scenario, step, previous, watching, statesBefore, world, comparing(found))
      compareEvents(scenario, step, previous, watching, world, comparing(found))
    })
    problems.push(...seen)
    await watching.stop()
  }
  if (world.runner?.reports === 0) problems.push('the runner has reconciled nothing')
  return problems
}

type Compare = (what: string, actual: unknown, expected: unknown) => void

const text = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value, sorted, 1))

const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** Real milliseconds of a quiet machine. */
const longestWait = 25_000
/** What follows a status: a try that is under way, deletions in the background, watches and Events. */
const longestAftermath = 3_000
const lookEvery = 20
/** Seconds of the world's time that are waited at least after all has come. */
const leastQuiet = 2

/** Waits for what a step waits for; resolves to what did not come. */
const reach = async (
  world: World,
  { until = [], quiet = 0 }: Step,
  watching: Watching,
): Promise<string | undefined> => {
  const patience = patienceOf(longestWait)
  const pending = [...until]
  while (pending.length > 0 && !patience.isOver()) {
    if (await isReached(world, pending[0]!, watching)) pending.shift()
    else await new Promise(resolve => setTimeout(resolve, lookEvery))
  }
  if (until.some(({ during }) => during)) {
    await new Promise(resolve => setTimeout(resolve, 10 * lookEvery)) // events are on their way
  } else {
    await world.clock.sleep(Math.max(leastQuiet, quiet) * 1000)
    for (let idle = 0; idle < 5 && !patience.isOver(); idle++) {
      await new Promise(resolve => setTimeout(resolve, lookEvery))
      if (world.clock.isBusy) idle = 0
    }
  }
  await world.hub.settled()
  return pending[0] && JSON.stringify(pending[0])
}

const wantedLive = (expected: RecordedLive | null, before: unknown): RecordedLive | null => {
  if (!expected) return null
  const content =
    expected.content === 'unchanged'
      ? (before as RecordedLive['content'])
      : typeof expected.content === 'string' // it was not the same in all runs
        ? expected.content
        : withoutStatusManagers(expected.content)
  return { ...expected, content }
}

const comparableLive = (shown: RecordedLive | null, wanted: RecordedLive | null): RecordedLive | null => {
  if (!shown || wanted?.written !== undefined) return shown
  const { written, ...rest } = shown
  return rest
}

/** A try that follows a failed one may be under way just now. */
const statusesUntil = async (world: World, expected: unknown): Promise<unknown> => {
  const patience = patienceOf(longestAftermath)
  for (;;) {
    const actual = named(await statusesOf(world), world.placeholders)
    const isUnderWay = isAnyUnderWay(actual) && !isAnyUnderWay(expected)
    if (!isUnderWay || patience.isOver()) return actual
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

/** How often something failed is a matter of time. */
const uncounted = (statuses: unknown): unknown =>
  JSON.parse(JSON.stringify(statuses), (_, value) => {
    if (value?.failures > 1) return { ...value, failures: 'several' }
    if (typeof value?.lastReconciledStatus !== 'string' || !/Fail/.test(value.lastReconciledStatus)) return value
    const { totalReconciliations, ...rest } = value
    return rest
  })

const isAnyUnderWay = (statuses: unknown): boolean => /"reason": ?"Progressing"/.test(text(statuses))

/** Real controllers take a moment: what is deleted in the background goes a little later. */
const lookUntil = async (world: World, key: string, wanted: RecordedLive | null): Promise<SeenLive> => {
  const patience = patienceOf(longestAftermath)
  for (;;) {
    const seen = await lookAtLive(world, key)
    const actual = named(comparableLive(seen.shown, wanted), world.placeholders)
    if (text(actual) === text(settled(wanted, actual)) || patience.isOver()) return seen
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

/** What a watch and an Event tell comes after the status; on a busy machine by seconds. */
const noticedUntil = async (compareInto: (found: string[]) => void): Promise<readonly string[]> => {
  const patience = patienceOf(longestAftermath)
  for (;;) {
    const found: string[] = []
    compareInto(found)
    if (found.length === 0 || patience.isOver()) return found
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

const compareTransitions = (
  scenario: Scenario,
  { expect }: Step,
  previous: Step | undefined,
  watching: Watching,
  statusesBefore: Readonly<Record<string, unknown>>,
  world: KeelsonWorld,
  compare: Compare,
): void => {
  const { byChance, missable } = drivers[scenario.area]!
  const seen = named(Object.fromEntries(watching.states), world.placeholders) as Record<string, string[]>
  for (const key of new Set([...Object.keys(expect.transitions ?? {}), ...Object.keys(seen)])) {
    const actual = [...new Set(seen[key] ?? [])].filter(state => !isRetry(state))
    const like = (state: string) => actual.find(one => settled(state, one) === one) ?? state
    const expected = statesIn(expect.transitions, key)
      .map(like)
      .filter(state => !isByChance(world, state, actual, byChance))
      .filter(state => actual.includes(state) || !missable?.test(state))
    const again = isFailed(previous, key) ? statesIn(previous?.expect.transitions, key) : []
    const optional = [...statesIn(expect.optionalTransitions, key), ...again].map(like)
    const shown = actual.filter(
      state => expected.includes(state) || !(optional.includes(state) || byChance?.test(state)),
    )
    compare(`states of ${key}`, withFirstIn(shown, expected, key in statusesBefore), expected)
  }
}

/** A runner gets units with one copy, and may begin with the one that another depends on: then that one never waits. */
const isByChance = ({ runner }: KeelsonWorld, state: string, seen: readonly string[], byChance?: RegExp): boolean =>
  runner !== undefined && !seen.includes(state) && byChance?.test(state) === true

/** The state before the step comes first in what is seen. Recordings show it there, where it came back, or not at all. */
const withFirstIn = (shown: readonly string[], expected: readonly string[], isBefore: boolean): readonly string[] => {
  const [first, ...rest] = shown
  if (!isBefore || first === undefined || first === expected[0]) return shown
  const at = expected.indexOf(first)
  return at < 0 ? rest : rest.toSpliced(at, 0, first)
}

const statesIn = (recorded: Transitions | undefined, key: string): string[] =>
  (recorded?.[key] ?? [])
    .map(state => (typeof state === 'string' ? [state] : [...state]).sort().join('\n'))
    .filter(state => !isRetry(state))

/** What failed in a step may be tried, and told, once more before the next step takes hold. */
const isFailed = (step: Step | undefined, key: string): boolean =>
  /^Ready=False/m.test(
    statesIn(step?.expect.transitions, key).findLast(state => /^Ready=(True|False)/m.test(state)) ?? '',
  )

/** The beginning of another try while an object fails: the recordings caught some of them, as chance would have it. */
const isRetry = (state: string): boolean =>
  (/^Ready=(False|True)/m.test(state) &&
    /^Reconciling=True Progressing: (processing object|reconciliation in progress)/m.test(state)) ||
  (/^Ready=(True|Unknown|False \w+(Failed|Succeeded)\b)/m.test(state) &&
    /^Reconciling=True Progressing: Fulfilling prerequisites$/m.test(state)) ||
  (/^(FetchFailed=True|BuildFailed=True|SourceVerified=False)/m.test(state) &&
    /^Ready=Unknown Progressing: building artifact$/m.test(state))

const compareEvents = (
  scenario: Scenario,
  { expect }: Step,
  previous: Step | undefined,
  watching: Watching,
  world: World,
  compare: Compare,
): void => {
  const { byChance, missable, isOptional = () => false } = drivers[scenario.area]!
  const byObject = (events: readonly RecordedEvent[] = []) =>
    Map.groupBy(
      events.filter(event => !event.onlyNotified && !isOptional(event)),
      ({ object }) => object,
    )
  const [seen, recorded, maybe] = [
    named(watching.events, world.placeholders),
    expect.events,
    expect.optionalEvents,
  ].map(byObject) as readonly EventsByObject[] as [EventsByObject, EventsByObject, EventsByObject]
  for (const object of new Set([...recorded.keys(), ...seen.keys()])) {
    const actual = [...new Set((seen.get(object) ?? []).map(line))]
    const like = (event: string) => actual.find(one => settled(event, one) === one) ?? event
    const expected = (recorded.get(object) ?? [])
      .map(line)
      .map(like)
      .filter(event => actual.includes(event) || !missable?.test(event))
    const again = isFailed(previous, object) ? (previous?.expect.events ?? []) : []
    const toldAgain = again.filter(event => event.object === object)
    const optional = [...(maybe.get(object) ?? []), ...toldAgain].map(line).map(like)
    const shown = actual.filter(
      event => expected.includes(event) || !(optional.includes(event) || byChance?.test(event)),
    )
    compare(`events of ${object}`, shown, expected)
  }
}

type EventsByObject = ReadonlyMap<string, readonly RecordedEvent[]>

const line = ({ type, reason, message, annotations = {} }: RecordedEvent): string => {
  const whole = typeof message === 'string' ? message : JSON.stringify(message)
  // What Helm's library logs for those who debug it is its own.
  const told = whole.replace(/\n\nLast Helm logs:\n\n[\s\S]*$/, '')
  const facts = Object.entries(annotations)
    .filter(([key]) => !/checksum|digest|token/.test(key))
    // Two passes that take equally long are one Event, with the facts of the first: to the millisecond that happens.
    .filter(([key]) => !(told.includes('finished in') && /revision$/i.test(key)))
    .map(([key, value]) => `${key.slice(key.indexOf('/') + 1)}=${value}`)
    .sort()
  return `${type} ${reason} [${facts.join(', ')}]: ${told}`
}
