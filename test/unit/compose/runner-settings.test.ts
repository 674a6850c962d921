import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runnerSettings } from '../../../lib/compose/runner-settings.ts'

test('a hub decides neither which addresses of its machine a runner may reach, nor that one which demands signatures keeps older revisions', () => {
  const hostile = { allowAddresses: ['0.0.0.0/0'], undoLimit: 10, noRemoteBases: false, defaultServiceAccount: 'app' }
  const found = runnerSettings(hostile, { isSigned: true, allowAddresses: [] })
  assert.deepEqual([found.allowAddresses, found.undoLimit, found.noRemoteBases], [[], 0, true])
  assert.equal(found.defaultServiceAccount, 'app')
  assert.equal(runnerSettings({ undoLimit: 3 }, { isSigned: false, allowAddresses: [] }).undoLimit, 3)
  assert.deepEqual(runnerSettings({}, { isSigned: false, allowAddresses: ['127.0.0.0/8'] }).allowAddresses, [
    '127.0.0.0/8',
  ])
})
