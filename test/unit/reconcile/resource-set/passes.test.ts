/** How passes end: failures, requests, drift, and what the history says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { author, configMap, onStage, setRef } from './scene.ts'
import { object, ready, template, tenants } from './sets.ts'

test('RS-120 RS-124 RS-132 a template that fails stalls; nothing is applied or collected, until the spec changes', () =>
  onStage({}, async scene => {
    await scene.apply({ inputs: tenants, resources: [template] })
    await scene.apply({ inputs: tenants, resources: [configMap('cm-<< inputs.nope >>')] })
    const message =
      'build failed: failed to build resources[0]: failed to execute template: template: resourceset:5:14: executing "resourceset" at <inputs>: map has no entry for key "nope"'
    assert.deepEqual(await scene.conditions(), [
      `Stalled=True BuildFailed: ${message}`,
      `Ready=False BuildFailed: ${message}`,
    ])
    assert.deepEqual(Object.keys(await scene.data()), ['cm-one', 'cm-two'])
    assert.equal((await scene.read())!.status!.history![0]!.lastReconciledStatus, 'BuildFailed')
    const passes = scene.passes.length
    await scene.advance(3 * 3_600_000)
    assert.equal(scene.passes.length, passes)
    await scene.apply({ inputs: tenants, resources: [template] })
    assert.deepEqual(await scene.conditions(), ready)
  }))

test('RS-121 RS-125 what a cluster refuses fails, and is tried again ever later', () =>
  onStage({}, async scene => {
    const refused = { ...template, metadata: { ...template.metadata, namespace: 'nowhere' } }
    await scene.apply({ inputs: tenants.slice(0, 1), resources: [refused] })
    assert.deepEqual(await scene.conditions(), [
      'Reconciling=True ProgressingWithRetry: Reconciliation in progress',
      'Ready=False ReconciliationFailed: reconciliation failed: ConfigMap/nowhere/cm-one not found: namespaces "nowhere" not found',
    ])
    assert.equal((await scene.read())!.status!.inventory, undefined)
    const before = scene.passes.length
    await scene.advance(60_000)
    const soon = scene.passes.length - before
    await scene.advance(60_000)
    const later = scene.passes.length - before - soon
    assert.ok(soon >= 3 && later < soon, `${soon} tries in the first minute, ${later} in the second`)
  }))

test('RS-117 RS-101 while it runs it is reconciling, and afterwards ready without a health check', () =>
  onStage({}, async scene => {
    await scene.apply({ resources: [configMap('cm')] })
    const states = scene.changes
      .filter(({ ref }) => ref.kind === 'ResourceSet')
      .flatMap(({ after }) => {
        const { conditions = [] } = (after?.status ?? {}) as {
          conditions?: { type: string; status: string; reason: string }[]
        }
        return conditions.length > 0
          ? [conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`)]
          : []
      })
    assert.deepEqual(states[0], ['Reconciling=True Progressing', 'Ready=Unknown Progressing'])
    assert.deepEqual(states.at(-1), ['Ready=True ReconciliationSucceeded'])
  }))

test('RS-093 a disabled ResourceSet does nothing but say so; deleting it leaves its objects', () =>
  onStage({}, async scene => {
    const disabled = { 'fluxcd.controlplane.io/reconcile': 'disabled' }
    await scene.apply({ resources: [configMap('cm')] }, disabled)
    assert.deepEqual(await scene.conditions(), [
      'Ready=True ReconciliationDisabled: Initialized with reconciliation suspended',
    ])
    assert.deepEqual(await scene.events(), ['Warning ReconciliationDisabled 1x: Reconciliation is disabled'])
    await scene.change(setRef, { metadata: { annotations: { 'fluxcd.controlplane.io/reconcile': 'enabled' } } })
    assert.deepEqual(await scene.conditions(), ready)
    await scene.change(setRef, { metadata: { annotations: disabled } })
    assert.deepEqual(await scene.conditions(), ready)
    await scene.hub.delete(setRef, {})
    await scene.settle()
    assert.deepEqual([await scene.read(), Object.keys(await scene.data())], [undefined, ['cm']])
  }))

test('RS-094 drift is corrected after the interval', () =>
  onStage({}, async scene => {
    await scene.apply({ resources: [configMap('cm', { k: 'v' })] }, { 'fluxcd.controlplane.io/reconcileEvery': '30m' })
    await scene.hub.patch(object('ConfigMap', 'cm'), { type: 'merge', patch: { data: { k: 'other' } } }, author)
    await scene.advance(29 * 60_000 - 60_000)
    assert.deepEqual(await scene.data(), { cm: { k: 'other' } })
    await scene.advance(4 * 60_000)
    assert.deepEqual(await scene.data(), { cm: { k: 'v' } })
  }))

test('RS-100 a request is acted upon once, and its value comes back', () =>
  onStage({}, async scene => {
    await scene.apply({ resources: [configMap('cm')] })
    await scene.change(setRef, { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } })
    const { status } = (await scene.read())!
    assert.equal(status!.lastHandledReconcileAt, 'now')
    assert.equal(status!.history![0]!.totalReconciliations, 2)
  }))

test('RS-096 RS-097 an immutable field is changed by force: for all objects, or for one', async () => {
  const immutable = (value: string, annotations?: object) => ({
    ...configMap('cm', { k: value }, annotations ? { annotations } : {}),
    immutable: true,
  })
  const force = { 'fluxcd.controlplane.io/force': 'enabled' }
  await onStage({}, async scene => {
    await scene.apply({ resources: [immutable('1')] })
    await scene.apply({ resources: [immutable('2')] })
    assert.match((await scene.conditions())[1]!, /field is immutable when `immutable` is set/)
    await scene.change(setRef, { metadata: { annotations: force } })
    assert.deepEqual(await scene.data(), { cm: { k: '2' } })
  })
  await onStage({}, async scene => {
    await scene.apply({ resources: [immutable('1', force)] })
    await scene.apply({ resources: [immutable('2', force)] })
    assert.deepEqual(await scene.data(), { cm: { k: '2' } })
  })
})

test('RS-128 RS-129 RS-130 the history keeps the last five outcomes, the newest first, and counts those that are alike', () =>
  onStage({}, async scene => {
    for (const n of [1, 2, 3, 4, 5, 6]) await scene.apply({ resources: [configMap('cm', { n: String(n) })] })
    await scene.apply({ resources: [configMap('cm', { n: '4' })] })
    const history = (await scene.read())!.status!.history!
    assert.equal(history.length, 5)
    assert.equal(history[0]!.totalReconciliations, 2)
    assert.deepEqual(Object.keys(history[0]!).sort(), [
      'digest',
      'firstReconciled',
      'lastReconciled',
      'lastReconciledDuration',
      'lastReconciledStatus',
      'metadata',
      'totalReconciliations',
    ])
    assert.equal(new Set(history.map(({ digest }) => digest)).size, 5)
  }))

test('missing objects that Flux objects refer to on an inherited cluster are checked for soon, then with growing delays', () =>
  onStage({ settings: { requeueDependencyMs: 5_000 } }, async scene => {
    await scene.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'prod', namespace: 'default' },
      stringData: { value: 'apiVersion: v1' },
    })
    const child = {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: 'child', namespace: 'default' },
      spec: {
        interval: '1h',
        prune: true,
        sourceRef: { kind: 'GitRepository', name: 'app' },
        postBuild: { substituteFrom: [{ kind: 'ConfigMap', name: 'late' }] },
      },
    }
    await scene.apply({ resources: [child] }, { 'keelson.dev/target': 'prod' })
    const passes = async () => (await scene.read())!.status!.history![0]!.totalReconciliations
    assert.equal(await passes(), 1, (await scene.conditions()).join('\n'))
    const counts: number[] = []
    for (const seconds of [6, 6, 12, 24, 48, 96]) {
      await scene.advance(seconds * 1000)
      counts.push(await passes())
    }
    assert.deepEqual(counts, [2, 3, 4, 5, 6, 7])
    await scene.create(configMap('late'))
    await scene.advance(200_000)
    const found = await passes()
    await scene.advance(45 * 60_000)
    assert.equal(await passes(), found, 'from then on it is looked at once in its interval')
  }))
