import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timetable } from '../../../../lib/foundations/rules/provider-schedule.ts'

const minute = 60_000
const at = (time: string) => Date.parse(`2026-01-05T${time}:00Z`)

test('RS-147 a window is open while a run can end within it', () => {
  const { mayRun, nextStart } = timetable([{ cron: '0 10 * * *', timeZone: 'UTC', window: '6h' }], 2 * minute)
  assert.deepEqual(
    ['09:59', '10:00', '12:00', '15:58', '15:59'].map(time => mayRun(at(time))),
    [false, true, true, true, false],
  )
  assert.equal(nextStart(at('12:00'), 10 * minute), undefined)
  assert.equal(nextStart(at('15:55'), 10 * minute)!.at, at('10:00') + 24 * 60 * minute)
})

test('RS-147 of several schedules the earliest counts, and one without a window always allows a run', () => {
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
