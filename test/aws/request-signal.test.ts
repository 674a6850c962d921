import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { requestSignal } from '../../functions/handlers/deadline-signal.ts'

const context = { getRemainingTimeInMillis: () => 900_000 }

test('a watch ends before a minute is over, even if its client is still there; other requests continue', () => {
  const timeouts: number[] = []
  const timeout = mock.method(AbortSignal, 'timeout', (ms: number) => {
    timeouts.push(ms)
    return new AbortController().signal
  })
  try {
    requestSignal({ rawQueryString: 'watch=true&resourceVersion=7' }, context)
    assert.deepEqual(timeouts.splice(0), [870_000, 55_000])
    requestSignal({ rawQueryString: 'watch=1' }, context)
    assert.deepEqual(timeouts.splice(0), [870_000, 55_000])
    for (const rawQueryString of ['', 'watch=false', 'limit=500', undefined]) requestSignal({ rawQueryString }, context)
    assert.deepEqual(timeouts, [870_000, 870_000, 870_000, 870_000])
  } finally {
    timeout.mock.restore()
  }
})
