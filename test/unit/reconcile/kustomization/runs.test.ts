import assert from 'node:assert/strict'
import { test } from 'node:test'
import { author, configMap, onStage } from './scene.ts'

const minute = 60_000

const waiting = {
  timeout: '5m',
  healthChecks: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'late', namespace: 'default' }],
}

const late = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late', namespace: 'default' } }

test('an apply and the health check that follows it are one Run, which ends with the check', () =>
  onStage({}, async ({ push, kustomize, runs, hub, advance }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', waiting)
    const [begun, ...others] = await runs()
    assert.deepEqual([begun?.result, begun?.finishedAt, others.length], ['Progressing', undefined, 0])
    await advance(minute)
    await hub.create(late, author)
    await advance(minute)
    const [ended, ...more] = await runs()
    assert.deepEqual([ended?.metadata.name, more.length], [begun?.metadata.name, 0])
    assert.deepEqual(
      [ended?.cause.type, ended?.result, ended?.revision, ended?.counts],
      ['Spec', 'Succeeded', 'main@sha1:1', { created: 1 }],
    )
    const phases = new Map(ended?.phases?.map(({ name, durationMs }) => [name, durationMs]))
    assert.deepEqual([...phases.keys()], ['Fetch', 'Build', 'Apply', 'Health'])
    assert.ok(phases.get('Health')! >= minute, 'the time between the polls counts')
  }))

test('a health check that fails ends the Run of the apply; what fails so again is counted', () =>
  onStage({}, async ({ push, kustomize, runs, advance }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { ...waiting, timeout: '30s', retryInterval: '1m' })
    await advance(2 * minute)
    const found = await runs()
    assert.deepEqual(
      found.map(({ result, reason, counts }) => [result, reason, counts.created ?? 0]),
      [['Failed', 'HealthCheckFailed', 1]],
    )
    await advance(10 * minute)
    const [first, ...more] = await runs()
    assert.deepEqual([first?.reason, first?.counts, more], ['HealthCheckFailed', { created: 1 }, []])
    assert.ok((first?.repeats ?? 0) > 2)
  }))

test('what is pruned is on record, with what was applied before', () =>
  onStage({}, async ({ push, kustomize, runs }) => {
    await push('1', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1') })
    await kustomize('app')
    await push('2', { 'a.yaml': configMap('a', '2') })
    const last = (await runs()).at(-1)
    assert.deepEqual(
      last?.changes?.map(({ name, action, origin }) => [name, action, origin]),
      [
        ['a', 'configured', 'a.yaml'],
        ['b', 'deleted', undefined],
      ],
    )
    assert.deepEqual([last?.previousRevision, last?.revision], ['main@sha1:1', 'main@sha1:2'])
  }))
