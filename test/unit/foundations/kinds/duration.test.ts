import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { durationMs, formatDuration, parseDuration } from '../../../../lib/foundations/kinds/duration.ts'

test('reads the durations that Go reads', () => {
  const read = [
    '1h30m',
    '10m',
    '1m0s',
    '90s',
    '1.5h',
    '.5s',
    '5.s',
    '250ms',
    '1us',
    '1µs',
    '-2m',
    '+2m',
    '0',
    '-0',
  ].map(duration => [duration, parseDuration(duration)])
  assert.deepEqual(read, [
    ['1h30m', 5_400_000],
    ['10m', 600_000],
    ['1m0s', 60_000],
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['5.s', 5_000],
    ['250ms', 250],
    ['1us', 0.001],
    ['1µs', 0.001],
    ['-2m', -120_000],
    ['+2m', 120_000],
    ['0', 0],
    ['-0', 0],
  ])
})

test('refuses what Go refuses', () => {
  for (const duration of ['', '5', 's', '1d', '1h 30m', '.s', '1e3s', 'Infinitys', '--1s', '1h-30m'])
    assert.equal(parseDuration(duration), undefined, duration)
  assert.throws(() => durationMs('soon'), /not a duration: "soon"/)
})

test('writes durations as Go writes them', () => {
  const written = [0, 0.0005, 0.25, 1, 1.5, 250, 1_000, 1_100, 59_999, 60_000, 570_000, 3_600_000, 5_400_000, -90_000]
  assert.deepEqual(written.map(formatDuration), [
    '0s',
    '500ns',
    '250µs',
    '1ms',
    '1.5ms',
    '250ms',
    '1s',
    '1.1s',
    '59.999s',
    '1m0s',
    '9m30s',
    '1h0m0s',
    '1h30m0s',
    '-1m30s',
  ])
})

test('reads back what it writes', () => {
  fc.assert(fc.property(fc.integer({ min: -1e12, max: 1e12 }), ms => parseDuration(formatDuration(ms)) === ms))
})
