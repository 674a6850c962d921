import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition } from '../../../../lib/foundations/kinds/object.ts'
import { timestamp, withCondition } from '../../../../lib/foundations/rules/conditions.ts'

const start = Date.UTC(2026, 0, 1, 12)
const later = start + 90_000

const condition = (type: string, change: Partial<Condition> = {}): Condition => ({
  type,
  status: 'True',
  reason: 'Fine',
  message: 'all is well',
  lastTransitionTime: timestamp(start),
  observedGeneration: 1,
  ...change,
})

test('KS-316 keeps the transition time while the status stays, whatever the message says', () => {
  const said = { status: 'True', reason: 'Fine', message: 'still well' } as const
  assert.deepEqual(withCondition([condition('Ready')], 'Ready', said, { now: later, generation: 2 }), [
    condition('Ready', { message: 'still well', observedGeneration: 2 }),
  ])
})

test('moves the transition time with the status, to whole seconds, or to when the state is said to have begun', () => {
  const bad = { status: 'False', reason: 'Bad', message: 'worse' } as const
  const timeAfter = (since?: number) =>
    withCondition([condition('Ready')], 'Ready', { ...bad, since }, { now: later + 321, generation: 1 })[0]
      ?.lastTransitionTime
  assert.equal(timeAfter(), '2026-01-01T12:01:30Z')
  assert.equal(timeAfter(start), '2026-01-01T12:00:00Z')
})

test('puts Stalled, Reconciling and Ready first, then what was observed last, then by name', () => {
  const types = ['Healthy', 'Ready', 'Old', 'Stalled', 'ArtifactInStorage']
  const before = types.map(type => condition(type, { observedGeneration: type === 'Old' ? 1 : 2 }))
  const after = withCondition(before, 'Reconciling', condition('Reconciling'), { now: start, generation: 2 })
  assert.deepEqual(
    after.map(({ type }) => type),
    ['Stalled', 'Reconciling', 'Ready', 'ArtifactInStorage', 'Healthy', 'Old'],
  )
})

test('KS-318 cuts messages to what an API server takes', () => {
  const said = { status: 'False', reason: 'Long', message: 'x'.repeat(40_000) } as const
  const [cut] = withCondition([], 'Ready', said, { now: start, generation: 1 })
  assert.equal(cut?.message, `${'x'.repeat(32_765)}...`)
})
