/** Providers of static values and clusters, the ResourceSets that follow them, and their schedules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap, onStage, providerRef } from '../resource-set/scene.ts'
import { annotate, conditions, events, exported, idOf, ready } from './provider-scene.ts'

test('RS-138 RS-150 a Static provider exports its default values with an id of its own', () =>
  onStage({}, async scene => {
    await scene.provide('p', { type: 'Static', defaultValues: { a: '1', b: { c: [1] } } })
    const { metadata, status } = (await scene.provider('p'))!
    assert.deepEqual(status!.exportedInputs, [{ a: '1', b: { c: [1] }, id: idOf(metadata.uid!) }])
    assert.match(status!.lastExportedRevision!, /^sha256:[0-9a-f]{64}$/)
    assert.deepEqual(metadata.finalizers, ['fluxcd.controlplane.io/finalizer'])
    assert.deepEqual(await conditions(scene), [ready])
    assert.deepEqual(await events(scene), [
      'Normal ReconciliationSucceeded 1x: Reconciliation finished in ..., revision sha256:...',
    ])
    await annotate(scene, { 'fluxcd.controlplane.io/reconcile': 'disabled' })
    assert.ok((await events(scene)).includes('Warning ReconciliationDisabled 1x: Reconciliation is disabled'))
    await scene.hub.delete(providerRef('p'), {})
    await scene.settle()
    assert.equal(await scene.provider('p'), undefined)
  }))

test('RS-008 RS-011 RS-012 RS-015 a ResourceSet follows the providers of its namespace that it names or selects', () =>
  onStage({}, async scene => {
    const provide = (name: string, labels: object, value: string) =>
      scene.provide(name, { type: 'Static', defaultValues: { name: value } }, { labels })
    await provide('a', { env: 'dev' }, 'a')
    await provide('b', { env: 'prod', team: 'x' }, 'b')
    await provide('c', { env: 'test' }, 'c')
    const matchExpressions = [
      { key: 'env', operator: 'In', values: ['prod', 'test'] },
      { key: 'env', operator: 'NotIn', values: ['dev'] },
      { key: 'team', operator: 'DoesNotExist' },
      { key: 'env', operator: 'Exists' },
    ]
    const resources = [configMap('cm-<< inputs.name >>')]
    await scene.apply({
      inputsFrom: [{ name: 'a' }, { selector: { matchLabels: { team: 'x' } } }, { selector: { matchExpressions } }],
      resources,
    })
    const names = async () => Object.keys(await scene.data())
    assert.deepEqual(await names(), ['cm-a', 'cm-b', 'cm-c'])
    await scene.change(providerRef('a'), { spec: { defaultValues: { name: 'a2' } } })
    assert.deepEqual(await names(), ['cm-a2', 'cm-b', 'cm-c'])
    await scene.change(providerRef('c'), { metadata: { labels: { env: 'dev' } } })
    assert.deepEqual(await names(), ['cm-a2', 'cm-b'])
    await provide('d', { env: 'other', team: 'x' }, 'd')
    assert.deepEqual(await names(), ['cm-a2', 'cm-b', 'cm-d'])
  }))

test('RS-010 RS-014 a provider that is named and missing stalls its ResourceSet, until it appears; nothing is collected', () =>
  onStage({}, async scene => {
    await scene.apply({ inputsFrom: [{ name: 'p' }], resources: [configMap('cm-<< inputs.name >>')] })
    assert.deepEqual(
      (await scene.conditions())[0],
      [
        'Stalled=True BuildFailed: failed to compute inputs: failed to get provider default/p: ResourceSetInputProvider.fluxcd.controlplane.io "p" not found',
      ][0],
    )
    await scene.provide('p', { type: 'Static', defaultValues: { name: 'p' } })
    assert.deepEqual([await scene.conditions(), Object.keys(await scene.data())], [[ready], ['cm-p']])
    await scene.hub.delete(providerRef('p'), {})
    await scene.settle()
    assert.deepEqual(Object.keys(await scene.data()), ['cm-p'])
  }))

test('RS-147 RS-149 an invalid schedule stalls', () =>
  onStage({}, async scene => {
    await scene.provide('p', { type: 'Static', schedule: [{ cron: 'not cron' }] })
    const message =
      "Reconciliation failed terminally due to configuration error: failed to validate schedule[0]: failed to parse cron spec 'not cron' with timezone 'UTC': expected exactly 5 fields, found 2: [not cron]"
    assert.deepEqual(await conditions(scene), [
      `Stalled=True InvalidSchedule: ${message}`,
      `Ready=False InvalidSchedule: ${message}`,
    ])
  }))

test('RS-147 runs within its window only, unless it is forced, and shows the next run', () =>
  onStage({}, async scene => {
    const start = new Date(scene.clock.now())
    const hour = (start.getUTCHours() + 2) % 24
    const schedule = [{ cron: `0 ${hour} * * *`, timeZone: 'UTC', window: '1h' }]
    await scene.provide('p', { type: 'Static', defaultValues: { a: 1 }, schedule })
    assert.deepEqual([await conditions(scene), await exported(scene)], [[], undefined])
    const when = (await scene.provider('p'))!.status!.nextSchedule!.when
    assert.equal(new Date(when).getUTCHours(), hour)
    assert.match(
      (await events(scene))[0]!,
      /^Normal SkippedDueToSchedule 1x: Reconciliation skipped due to schedule, next run at /,
    )

    await annotate(scene, { 'reconcile.fluxcd.io/requestedAt': 'a' })
    assert.equal(await exported(scene), undefined)
    await annotate(scene, { 'reconcile.fluxcd.io/requestedAt': 'b', 'reconcile.fluxcd.io/forceAt': 'b' })
    assert.equal((await exported(scene))!.length, 1)
    assert.equal((await scene.provider('p'))!.status!.lastHandledForceAt, 'b')

    await scene.advance(Date.parse(when) - scene.clock.now() + 60_000)
    const { status } = (await scene.provider('p'))!
    assert.equal(status!.nextSchedule, undefined, 'its window is open')
    assert.deepEqual(await conditions(scene), [ready])
  }))

test('RS-147 without a window runs at the scheduled time, and on request', () =>
  onStage({}, async scene => {
    await scene.provide('p', { type: 'Static', defaultValues: { a: 1 }, schedule: [{ cron: '@hourly' }] })
    assert.equal((await exported(scene))!.length, 1)
    const when = Date.parse((await scene.provider('p'))!.status!.nextSchedule!.when)
    assert.ok(when > scene.clock.now() && when - scene.clock.now() <= 3_600_000 && when % 3_600_000 === 0)
  }))
