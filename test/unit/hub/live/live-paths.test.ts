import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveReadOf } from '../../../../lib/hub/live/live-paths.ts'

const read = (query: string) => liveReadOf(new URL(`https://hub/fleet/live/log?unit=u&object=o&container=c${query}`))

test('a log is read to its last 1,000 lines, of the current run, unless the request says otherwise', () => {
  const log = { what: 'log', object: 'o', container: 'c' }
  assert.deepEqual(read(''), log)
  assert.deepEqual(read('&previous=true&tailLines=20'), { ...log, previous: true, tailLines: 20 })
  for (const wrong of ['0', '1001', '-1', '1e3', 'all', ''])
    assert.throws(() => read(`&tailLines=${wrong}`), /tailLines must be a whole number from 1 to 1000/, wrong)
  assert.throws(() => read('&previous=yes'), /previous must be true, or absent/)
  assert.throws(() => read('&follow=true'), /unknown parameter follow/)
})
