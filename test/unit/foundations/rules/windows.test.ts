import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Window } from '../../../../lib/foundations/kinds/window.ts'
import { holdsAt, type WindowList } from '../../../../lib/foundations/rules/windows.ts'

const list = (...windows: readonly Window[]): WindowList => ({ owner: 'Cluster apps/prod', windows })
const nightly: Window = { action: 'Allow', schedule: '0 1 * * *', duration: '2h', timeZone: 'Europe/Berlin' }
const freeze: Window = { action: 'Deny', schedule: '0 0 24 12 *', duration: '72h', description: 'Christmas' }

/** What is held at a time: `Changes until 2026-01-01T00:00:00.000Z`. */
const held = (lists: readonly WindowList[], at: string): readonly string[] =>
  Object.entries(holdsAt(lists, Date.parse(at))).map(([thing, { until }]) =>
    until === undefined ? `${thing} for ever` : `${thing} until ${new Date(until).toISOString().slice(0, 16)}`,
  )

test('without windows nothing is held', () => {
  assert.deepEqual(held([], '2026-06-01T00:00:00Z'), [])
  assert.deepEqual(held([list()], '2026-06-01T00:00:00Z'), [])
})

test('outside of an Allow window changes and deletions wait for its start', () => {
  assert.deepEqual(held([list(nightly)], '2026-06-01T12:00:00Z'), [
    'Changes until 2026-06-01T23:00',
    'Deletions until 2026-06-01T23:00',
  ])
  assert.deepEqual(held([list(nightly)], '2026-06-01T22:59:59.999Z').length, 2)
  assert.deepEqual(held([list(nightly)], '2026-06-01T23:00:00Z'), [])
  assert.deepEqual(held([list(nightly)], '2026-06-02T00:59:59.999Z'), [])
  assert.deepEqual(held([list(nightly)], '2026-06-02T01:00:00Z').length, 2)
})

test('of several Allow windows one is enough', () => {
  const friday: Window = { action: 'Allow', schedule: '0 9 * * FRI', duration: '5h' }
  assert.deepEqual(held([list(nightly, friday)], '2026-06-05T10:00:00Z'), [])
  assert.deepEqual(held([list(nightly, friday)], '2026-06-05T08:00:00Z')[0], 'Changes until 2026-06-05T09:00')
})

test('a Deny window goes before an Allow window, and holds until an Allow window comes after it', () => {
  assert.deepEqual(held([list(nightly, freeze)], '2026-12-24T00:30:00Z'), [
    'Changes until 2026-12-27T00:00',
    'Deletions until 2026-12-27T00:00',
  ])
  const late: Window = { ...nightly, schedule: '0 5 * * *' }
  assert.deepEqual(held([list(late, freeze)], '2026-12-24T04:30:00Z')[0], 'Changes until 2026-12-27T04:00')
})

test('each list holds by itself: a unit can only add to what holds its cluster', () => {
  const always: Window = { action: 'Allow', schedule: '* * * * *', duration: '1h' }
  assert.deepEqual(held([list(nightly), list(always)], '2026-06-01T12:00:00Z')[0], 'Changes until 2026-06-01T23:00')
  const evening: Window = { action: 'Allow', schedule: '0 23 * * *', duration: '30m' }
  assert.deepEqual(held([list(nightly), list(evening)], '2026-06-01T12:00:00Z')[0], 'Changes until 2026-06-01T23:00')
  assert.equal(held([list(nightly), list(freeze)], '2026-12-25T01:00:00Z')[0], 'Changes until 2026-12-27T00:00')
})

test('what a window holds back is its choice', () => {
  const drift: Window = { ...freeze, holds: ['DriftCorrection'] }
  assert.deepEqual(held([list(drift)], '2026-12-25T00:00:00Z'), ['DriftCorrection until 2026-12-27T00:00'])
  assert.deepEqual(held([list(drift, nightly)], '2026-12-25T12:00:00Z'), [
    'Changes until 2026-12-26T00:00',
    'Deletions until 2026-12-26T00:00',
    'DriftCorrection until 2026-12-27T00:00',
  ])
})

test('says which window it is, of what, and what it is for', () => {
  const why = (lists: readonly WindowList[], at: string) => holdsAt(lists, Date.parse(at)).Changes?.why
  assert.equal(
    why([list(nightly, freeze)], '2026-12-25T00:00:00Z'),
    'in the Deny window "0 0 24 12 *" for 72h (UTC; Christmas) of Cluster apps/prod',
  )
  assert.equal(
    why([list(nightly, { ...nightly, schedule: '0 5 * * *' })], '2026-06-01T12:00:00Z'),
    'outside of the Allow window "0 1 * * *" for 2h (Europe/Berlin) and of 1 more of Cluster apps/prod',
  )
})

test('windows that never leave a gap hold until a time at which they are evaluated again', () => {
  const always: Window = { action: 'Deny', schedule: '* * * * *', duration: '1h' }
  const now = Date.parse('2026-06-01T12:00:00Z')
  const { until = 0 } = holdsAt([list(always)], now).Changes ?? {}
  assert.ok(until > now, String(until))
})

test('a window that overlaps its next start lasts on', () => {
  const days: Window = { action: 'Deny', schedule: '0 0 * * MON-FRI', duration: '24h' }
  assert.deepEqual(held([list(days)], '2026-06-02T12:00:00Z')[0], 'Changes until 2026-06-06T00:00')
})

// ---- minute by minute, by another reading of cron expressions ----

const minute = 60_000

/** What a clock of the zone says: minute, hour, day, month and weekday. Each moment is asked for many windows. */
const clockOf = (zone: string): ((ms: number) => readonly number[]) => {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    ...({ month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', weekday: 'short' } as const),
  })
  const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
  const known = new Map<number, readonly number[]>()
  return ms => {
    const found = known.get(ms)
    if (found) return found
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]))
    const values = [...[parts.minute, parts.hour, parts.day, parts.month].map(Number), names.indexOf(parts.weekday!)]
    known.set(ms, values)
    return values
  }
}

const matcher = (schedule: string, clock: (ms: number) => readonly number[]): ((ms: number) => boolean) => {
  const fields = schedule.split(' ')
  const matches = (field: string, value: number): boolean =>
    field.split(',').some(part => {
      const [range = '', step = '1'] = part.split('/')
      const [low, high = part.includes('/') ? '99' : range] = range === '*' ? ['0', '99'] : range.split('-')
      const from = range === '*' ? 0 : Number(low)
      return value >= from && value <= Number(high) && (value - from) % Number(step) === 0
    })
  return ms => {
    const values = clock(ms)
    const [day, weekday] = [matches(fields[2]!, values[2]!), matches(fields[4]!, values[4]!)]
    const isDay = fields[2] === '*' || fields[4] === '*' ? day && weekday : day || weekday
    return (
      matches(fields[0]!, values[0]!) && matches(fields[1]!, values[1]!) && matches(fields[3]!, values[3]!) && isDay
    )
  }
}

/** Whether a window lasts, for each minute from `begin` on. */
const lasting = (
  { schedule, duration }: Window,
  clock: (ms: number) => readonly number[],
  begin: number,
  minutes: number,
): boolean[] => {
  const isStart = matcher(schedule, clock)
  const length = Number(duration.slice(0, -1)) * (duration.endsWith('h') ? 60 : 1)
  let last = Number.NEGATIVE_INFINITY
  return Array.from({ length: minutes + length }, (_, index) => {
    const at = index - length
    if (isStart(begin + at * minute)) last = at
    return at - last < length
  }).slice(length)
}

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Beirut',
  'America/Santiago',
  'Asia/Kathmandu',
]
const windows: readonly (readonly Window[])[] = [
  [{ action: 'Allow', schedule: '30 2 * * *', duration: '45m' }],
  [{ action: 'Allow', schedule: '30 1 * * *', duration: '3h' }],
  [{ action: 'Deny', schedule: '0 0 * * 0', duration: '24h' }],
  [
    { action: 'Allow', schedule: '0 1,3 * * *', duration: '1h' },
    { action: 'Deny', schedule: '30 2 * * *', duration: '90m' },
  ],
  [
    { action: 'Allow', schedule: '0 9-17/2 29 2 *', duration: '30m' },
    { action: 'Allow', schedule: '15 */6 * * *', duration: '20m' },
  ],
]
const times = ['2026-03-07T12:00Z', '2026-03-28T12:00Z', '2026-04-04T06:00Z', '2026-10-03T10:00Z', '2026-10-24T12:00Z']
const more = ['2026-10-31T12:00Z', '2026-09-05T12:00Z', '2028-02-28T12:00Z', '2026-12-31T12:00Z']

for (const zone of zones)
  test(`holds what a clock of ${zone} says, minute by minute, through changes of clocks and leap days`, () => {
    const clock = clockOf(zone)
    for (const begin of [...times, ...more].map(Date.parse))
      for (const of of windows) {
        const zoned = of.map(window => ({ ...window, timeZone: zone }))
        const minutes = 2 * 24 * 60
        const spans = zoned.map(window => ({ window, lasts: lasting(window, clock, begin, minutes) }))
        const isHeld = Array.from({ length: minutes }, (_, at) => {
          const [denies, allows] = [
            spans.filter(({ window }) => window.action === 'Deny'),
            spans.filter(({ window }) => window.action === 'Allow'),
          ]
          return denies.some(({ lasts }) => lasts[at]) || (allows.length > 0 && !allows.some(({ lasts }) => lasts[at]))
        })
        // Not each minute, but each change, those beside it, and some others.
        const asked = isHeld.flatMap((held, at) =>
          held !== isHeld[at - 1] || held !== isHeld[at + 1] || at % 97 === 0 ? [at] : [],
        )
        for (const at of asked) {
          const now = begin + at * minute
          const hold = holdsAt([list(...zoned)], now).Changes
          const label = `${JSON.stringify(of)} at ${new Date(now).toISOString()}`
          assert.equal(hold !== undefined, isHeld[at], label)
          const end = isHeld.indexOf(false, at)
          if (hold && end >= 0) assert.equal(hold.until, begin + end * minute, label)
        }
      }
  })
