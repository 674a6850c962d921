import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCron } from '../../../../lib/foundations/rules/cron.ts'
import { timetable } from '../../../../lib/foundations/rules/provider-schedule.ts'

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

const minute = 60_000
const at = (time: string) => Date.parse(`2026-01-05T${time}:00Z`)

test('RS-147 a window is open while a look can end within it', () => {
  const { mayRun, nextStart } = timetable([{ cron: '0 10 * * *', timeZone: 'UTC', window: '6h' }], 2 * minute)
  assert.deepEqual(
    ['09:59', '10:00', '12:00', '15:58', '15:59'].map(time => mayRun(at(time))),
    [false, true, true, true, false],
  )
  assert.equal(nextStart(at('12:00'), 10 * minute), undefined)
  assert.equal(nextStart(at('15:55'), 10 * minute)!.at, at('10:00') + 24 * 60 * minute)
})

test('RS-147 of several schedules the earliest counts, and one without a window always lets it look', () => {
  const several = timetable(
    [
      { cron: '0 10 * * 1-4', timeZone: 'Europe/London', window: '6h' },
      { cron: '0 20 * * *', timeZone: 'UTC', window: '0s' },
    ],
    2 * minute,
  )
  assert.equal(several.mayRun(at('03:00')), true)
  assert.equal(several.nextStart(at('17:00'), 10 * minute)!.at, at('20:00'))
})

test('RS-147 a window is either none or at least twice the timeout', () => {
  assert.throws(() => timetable([{ cron: '@daily', window: '3m' }], 2 * minute), {
    message:
      'failed to validate schedule[0]: a non-zero window (3m0s) must always be at least twice the timeout (2m0s)',
  })
})
