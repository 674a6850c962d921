import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatNumber } from '../../../../lib/engines/yaml/format-number.ts'

/** As the real kustomize 5.8.2 writes these values of a manifest. */
const written: readonly (readonly [number | bigint, string])[] = [
  [100000.5, '100000.5'],
  [999999.9, '999999.9'],
  [1000000.5, '1.0000005e+06'],
  [1234567.5, '1.2345675e+06'],
  [-2500000.25, '-2.50000025e+06'],
  [1000000, '1000000'],
  [0.0001, '0.0001'],
  [0.00001234, '1.234e-05'],
  [1e20, '1e+20'],
  [1e21, '1e+21'],
  [18446744073709551615n, '18446744073709551615'],
]

test('numbers are written as Go writes them', () => {
  assert.deepEqual(
    written.map(([value]) => formatNumber(value)),
    written.map(([, text]) => text),
  )
})
