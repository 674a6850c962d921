import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseCron } from '../../../../lib/foundations/calendar/cron.ts'

const next = (expression: string, after: string, zone = 'UTC'): string | undefined => {
  const ms = parseCron(expression, zone).next(Date.parse(after))
  return ms === undefined ? undefined : new Date(ms).toISOString().replace(':00.000Z', 'Z')
}

test('finds the next moment in five fields', () => {
  assert.equal(next('*/15 * * * *', '2026-01-01T00:07:00Z'), '2026-01-01T00:15Z')
  assert.equal(next('0 10 * * 1-4', '2026-01-01T10:00:00Z'), '2026-01-05T10:00Z')
  assert.equal(next('0 10 * * FRI', '2026-01-01T10:00:00Z'), '2026-01-02T10:00Z')
  assert.equal(next('30 6 29 feb *', '2026-01-01T00:00:00Z'), '2028-02-29T06:30Z')
  assert.equal(next('5,10-12,20-30/5 * * * *', '2026-01-01T00:12:00Z'), '2026-01-01T00:20Z')
  assert.equal(next('@daily', '2026-01-01T00:00:00Z'), '2026-01-02T00:00Z')
  assert.equal(next('0 0 31 2 *', '2026-01-01T00:00:00Z'), undefined)
})

test('of days and weekdays either counts, unless one says nothing', () => {
  assert.equal(next('0 0 13 * FRI', '2026-01-01T00:00:00Z'), '2026-01-02T00:00Z')
  assert.equal(next('0 0 13 * *', '2026-01-02T00:00:00Z'), '2026-01-13T00:00Z')
  assert.equal(next('0 0 * * FRI', '2026-01-02T00:00:00Z'), '2026-01-09T00:00Z')
})

test('reads the clocks of a time zone; a time that they skip does not come that day', () => {
  assert.equal(next('0 10 * * *', '2026-07-01T00:00:00Z', 'Europe/London'), '2026-07-01T09:00Z')
  assert.equal(next('0 10 * * *', '2026-12-01T00:00:00Z', 'Europe/London'), '2026-12-01T10:00Z')
  assert.equal(next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin'), '2026-03-30T00:30Z')
  assert.equal(next('30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin'), '2026-10-25T00:30Z')
  assert.equal(next('0 0 * * *', '2026-01-01T00:00:00Z', 'Asia/Kolkata'), '2026-01-01T18:30Z')
})

test('reports faults like robfig/cron', () => {
  const fails = (expression: string, message: string, zone = 'UTC') =>
    assert.throws(() => parseCron(expression, zone), { message })
  fails('not cron', 'expected exactly 5 fields, found 2: [not cron]')
  fails('60 * * * *', 'end of range (60) above maximum (59): 60')
  fails('* * 0 * *', 'beginning of range (0) below minimum (1): 0')
  fails('5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3')
  fails('*/0 * * * *', 'step of range should be a positive number: */0')
  fails('a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax')
  fails('1/2/3 * * * *', 'too many slashes: 1/2/3')
  fails('1-2-3 * * * *', 'too many hyphens: 1-2-3')
  fails('@sometimes', 'unrecognized descriptor: @sometimes')
  fails('* * * * *', 'provided bad location Mars/Olympus: unknown time zone Mars/Olympus', 'Mars/Olympus')
})

test('a time that clocks repeat when they go back comes twice', () => {
  assert.equal(next('30 2 * * *', '2026-10-25T00:30:00Z', 'Europe/Berlin'), '2026-10-25T01:30Z')
  assert.equal(next('30 2 * * *', '2026-10-25T01:30:00Z', 'Europe/Berlin'), '2026-10-26T01:30Z')
  assert.equal(next('*/30 * * * *', '2026-10-25T00:30:00Z', 'Europe/Berlin'), '2026-10-25T01:00Z')
})

type Row = readonly [schedule: string, zone: string, after: number, ...times: number[]]

const recorded = JSON.parse(readFileSync(new URL('cron.recorded.json', import.meta.url), 'utf8')) as readonly Row[]

const timesAfter = (schedule: string, zone: string, after: number, count: number): number[] => {
  const cron = parseCron(schedule, zone)
  const times: number[] = []
  for (let at = cron.next(after); at !== undefined && times.length < count; at = cron.next(at)) times.push(at)
  return times
}

test('comes when robfig/cron does, around the changes of clocks, on leap days and at any other time', () => {
  const wrong = recorded.flatMap(([schedule, zone, after, ...expected]) => {
    const found = timesAfter(schedule, zone, after, 3)
    const shown = (times: readonly number[]) => times.map(time => new Date(time).toISOString()).join(' ')
    if (isFaultOfRobfig(schedule, zone)) return []
    return shown(found) === shown(expected)
      ? []
      : [`${schedule} ${zone} after ${shown([after])}: ${shown(found)}, robfig ${shown(expected)}`]
  })
  assert.ok(recorded.length > 1000, `${recorded.length} questions`)
  assert.equal(wrong.length, 0, `${wrong.length} of ${recorded.length}:\n${wrong.slice(0, 30).join('\n')}`)
})

/**
 * robfig/cron steps hour by hour from where it is: after a change by half an hour (Lord Howe) it comes past the full hour, and after a midnight
 * that does not exist (Beirut) it loses a day. What we say instead is held against the clock itself in rules/windows.test.ts.
 */
const isFaultOfRobfig = (schedule: string, zone: string): boolean =>
  zone === 'Australia/Lord_Howe' || (zone === 'Asia/Beirut' && schedule === '0 3 * * SUN')
