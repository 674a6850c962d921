import assert from 'node:assert/strict'
import { test } from 'node:test'
import { includeUnavailable } from '../../../../lib/reconcile/git-repository/halts.ts'

test('an included repository without an artifact is waited for: that is no error in the log', () => {
  const { outcome } = includeUnavailable('NoArtifact', "no artifact available for include 'lib'", 5_000)
  assert.equal(outcome.type === 'failed' && outcome.isWait, true)
})
