import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmRelease, HelmReleaseSpec } from '../../../../lib/foundations/kinds/helm-release.ts'
import type { Condition } from '../../../../lib/foundations/kinds/object.ts'
import { Draft } from '../../../../lib/reconcile/helm-release/draft.ts'
import { summarize } from '../../../../lib/reconcile/helm-release/summarize.ts'
import { shown } from '../world.ts'

const draftOf = (conditions: readonly Partial<Condition>[], spec: Partial<HelmReleaseSpec> = {}): Draft =>
  new Draft(
    {
      metadata: { name: 'app', namespace: 'apps', generation: 2 },
      spec: { interval: '10m', ...spec },
      status: { conditions: conditions.map(condition => ({ message: 'm', observedGeneration: 2, ...condition })) },
    } as unknown as HelmRelease,
    () => 0,
  )

const conditionsOf = ({ release, status }: Draft) => shown({ ...release, status } as HelmRelease)

test('HR-025 what was said of a step that has passed is taken back, what was said of another stays', () => {
  const failed = { type: 'Ready', status: 'False', reason: 'ValuesError' } as const
  const draft = draftOf([failed])
  draft.clearReady('SourceNotReady', 'ArtifactFailed')
  assert.deepEqual(conditionsOf(draft), ['Ready=False ValuesError: m'])
  draft.clearReady('ValuesError')
  assert.deepEqual(conditionsOf(draft), ['Ready=Unknown Progressing: reconciliation in progress'])
})

const released = { type: 'Released', status: 'True', reason: 'UpgradeSucceeded' } as const
const remediated = { type: 'Remediated', status: 'True', reason: 'RollbackSucceeded' } as const
const tested = { type: 'TestSuccess', status: 'False', reason: 'TestFailed' } as const
const readyOf = (...[conditions, spec]: Parameters<typeof draftOf>): string | undefined => {
  const draft = draftOf(conditions, spec)
  summarize(draft)
  return conditionsOf(draft).find(line => line.startsWith('Ready'))
}

test('HR-105 Ready is what was remediated, tested or released: the newest generation, then in this order', () => {
  const test = { enable: true }
  assert.equal(readyOf([released]), 'Ready=True UpgradeSucceeded: m')
  assert.equal(readyOf([released, tested, remediated], { test }), 'Ready=False RollbackSucceeded: m')
  assert.equal(readyOf([released, tested], { test }), 'Ready=False TestFailed: m')
  assert.equal(
    readyOf([released, tested], { test: { ...test, ignoreFailures: true } }),
    'Ready=True UpgradeSucceeded: m',
  )
  const older = { ...remediated, observedGeneration: 1 }
  assert.equal(readyOf([released, older]), 'Ready=True UpgradeSucceeded: m')
  assert.equal(readyOf([]), undefined)
})

test('HR-105 without tests nothing of them stays', () => {
  const draft = draftOf([released, tested])
  summarize(draft)
  assert.deepEqual(conditionsOf(draft).toSorted(), [
    'Ready=True UpgradeSucceeded: m',
    'Released=True UpgradeSucceeded: m',
  ])
})
