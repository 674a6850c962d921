import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgressAllowance } from '../../../../lib/reconcile/runtime/progress-allowance.ts'

test('twenty times a second progress is stored', () => {
  let ms = 5_000
  const mayStore = createProgressAllowance({ now: () => ms })
  const grants = (asked: number) => Array.from({ length: asked }, mayStore).filter(Boolean).length
  assert.equal(grants(7), 7)
  ms += 999
  assert.equal(grants(30), 13)
  ms += 1
  assert.equal(grants(30), 20)
})
