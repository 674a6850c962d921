import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { mock, test } from 'node:test'
import v8 from 'node:v8'
import { applyProcessPolicy } from '../../../lib/cli/process-policy.ts'
import { loadProgram } from '../../../lib/cli/program.ts'

test('settings of V8 come from running a command, not from loading one', async () => {
  const flags = mock.method(v8, 'setFlagsFromString', () => {})
  syncBuiltinESMExports()
  try {
    for (const command of ['serve', 'kustomize', 'helm']) await loadProgram([command])
    await loadProgram([])
    assert.equal(flags.mock.callCount(), 0)
    for (const command of ['kustomize', 'helm']) {
      flags.mock.resetCalls()
      applyProcessPolicy(command)
      assert.ok(flags.mock.callCount() > 0, command)
    }
    flags.mock.resetCalls()
    for (const command of ['why', 'toString', undefined]) applyProcessPolicy(command)
    assert.equal(flags.mock.callCount(), 0)
  } finally {
    flags.mock.restore()
    syncBuiltinESMExports()
  }
})
