import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readinessOf } from '../../../lib/cli/readiness.ts'
import { objectStateOf } from '../../../lib/foundations/fleet/object-state.ts'

const object = (status: object, spec: object = {}, generation = 2) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name: 'app', namespace: 'default', generation },
  spec,
  status,
})
const condition = (type: string, status: string, reason: string, message: string) => ({ type, status, reason, message })

test('an object without status is waiting to be reconciled', () => {
  assert.deepEqual(objectStateOf(object({})), { state: 'progressing', message: 'waiting to be reconciled' })
})

test('Ready counts only for the generation it was observed at', () => {
  const conditions = [condition('Ready', 'True', 'ReconciliationSucceeded', 'Applied revision: main@sha1:1')]
  const message = 'Applied revision: main@sha1:1'
  assert.deepEqual(objectStateOf(object({ observedGeneration: 2, conditions })), { state: 'ready', message })
  assert.deepEqual(objectStateOf(object({ observedGeneration: 1, conditions })), { state: 'progressing', message })
})

test('a failure is reported with its reason, progress with the step', () => {
  const failed = [condition('Ready', 'False', 'BuildFailed', 'no such file')]
  const running = [
    condition('Reconciling', 'True', 'Progressing', 'Building'),
    condition('Ready', 'Unknown', 'Progressing', 'x'),
  ]
  assert.deepEqual(objectStateOf(object({ conditions: failed })), {
    state: 'failed',
    message: 'BuildFailed: no such file',
  })
  assert.deepEqual(objectStateOf(object({ conditions: running })), { state: 'progressing', message: 'Building' })
})

test('an object that waits for its source is no failure', () => {
  const message = 'Source artifact not found, retrying in 30s'
  const conditions = [condition('Ready', 'False', 'ArtifactFailed', message)]
  assert.deepEqual(objectStateOf(object({ conditions })), { state: 'progressing', message })
})

test('waiting ends when all are ready or one is stalled; a failed object may still recover', () => {
  const standing = (state: 'ready' | 'progressing' | 'failed' | 'stalled' | 'suspended') => ({ state, message: '' })
  assert.equal(readinessOf([standing('ready'), standing('suspended')]), 'ready')
  assert.equal(readinessOf([standing('ready'), standing('failed')]), 'open')
  assert.equal(readinessOf([standing('progressing'), standing('stalled')]), 'stalled')
})
