import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { parseLabelSelector } from '../../../../lib/hub/store/label-selector.ts'
import { author, configMap, onStage, setRef } from './scene.ts'

const tenants = [
  { tenant: 'one', n: 1 },
  { tenant: 'two', n: 2 },
]
const template = configMap('cm-<< inputs.tenant >>', { n: '<< inputs.n | quote >>' })
const ready = ['Ready=True ReconciliationSucceeded: Reconciliation finished in ...']
const object = (kind: string, name: string): ObjectRef => ({ group: '', kind, namespace: 'default', name })
const stored = (kind: string, name: string, content: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default', ...metadata },
  ...content,
})

test('RS-003 RS-118 RS-127 RS-133 applies what is rendered, and says so', () =>
  onStage({}, async scene => {
    await scene.apply({ inputs: tenants, resources: [template] })
    assert.deepEqual(await scene.conditions(), ready)
    assert.deepEqual(await scene.data(), { 'cm-one': { n: '1' }, 'cm-two': { n: '2' } })
    const { history, inventory, lastAppliedRevision } = (await scene.read())!.status!
    assert.deepEqual(inventory, {
      entries: [
        { id: 'default_cm-one__ConfigMap', v: 'v1' },
        { id: 'default_cm-two__ConfigMap', v: 'v1' },
      ],
    })
    assert.match(lastAppliedRevision!, /^sha256:[0-9a-f]{64}$/)
    assert.equal(history?.[0]?.digest, lastAppliedRevision)
    assert.deepEqual(await scene.events(), [
      'Normal ApplySucceeded 1x: ConfigMap/default/cm-one created\nConfigMap/default/cm-two created',
      'Normal ReconciliationSucceeded 1x: Reconciliation finished in ...',
    ])
    const live = await scene.hub.get<KubernetesObject>(object('ConfigMap', 'cm-one'))
    assert.deepEqual(live!.metadata.labels, {
      'resourceset.fluxcd.controlplane.io/name': 'app',
      'resourceset.fluxcd.controlplane.io/namespace': 'default',
    })
  }))

test('RS-109 RS-114 RS-131 an input that leaves takes its objects along, and nothing else is touched', () =>
  onStage({}, async scene => {
    await scene.apply({ inputs: tenants, resources: [template] })
    const writes = scene.writes()
    await scene.apply({ inputs: tenants.slice(1), resources: [template] })
    assert.deepEqual(await scene.data(), { 'cm-two': { n: '2' } })
    assert.equal(scene.writes() - writes, 0)
    assert.ok((await scene.events()).includes('Normal ApplySucceeded 1x: ConfigMap/default/cm-one deleted'))
    assert.deepEqual(
      (await scene.read())!.status!.history!.map(({ metadata }) => metadata),
      [
        { inputs: '1', resources: '1' },
        { inputs: '2', resources: '2' },
      ],
    )
  }))

test('one input that changes touches its objects only', () =>
  onStage({}, async scene => {
    const inputs = Array.from({ length: 30 }, (_, n) => ({ tenant: `t${n}`, n }))
    await scene.apply({ inputs, resources: [template] })
    const writes = scene.writes()
    await scene.apply({ inputs: inputs.with(7, { tenant: 't7', n: 700 }), resources: [template] })
    assert.equal(scene.writes() - writes, 1)
    assert.deepEqual((await scene.data())['cm-t7'], { n: '700' })
  }))

test('a pass that is cut off loses nothing: the next one writes what is left, and only that', () => {
  const inputs = Array.from({ length: 30 }, (_, n) => ({ tenant: `t${n}`, n }))
  const asked = new Map<string, number>()
  const stuck = Promise.withResolvers<void>()
  let isSlow = true
  const cluster = (hub: ClusterClient): ClusterClient => ({
    ...hub,
    async apply(object, options) {
      if (options.dryRun) return hub.apply(object, options)
      const { name } = object.metadata
      asked.set(name, (asked.get(name) ?? 0) + 1)
      if (isSlow && asked.size > 10) {
        stuck.resolve()
        const { signal } = options
        await new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))
      }
      return hub.apply(object, options)
    },
  })
  return onStage({ cluster }, async scene => {
    const applying = scene.apply({ inputs, resources: [template] })
    await stuck.promise
    assert.equal((await scene.inventory()).length, 30, 'what may be there is recorded before')
    await scene.clock.advance(300_000)
    await applying
    assert.match((await scene.conditions()).join(), /Ready=False ReconciliationFailed: .*not finished after 300 s/)
    const written = Object.keys(await scene.data())
    assert.equal(written.length, 10)

    isSlow = false
    await scene.advance(60_000)
    assert.deepEqual(await scene.conditions(), ready)
    assert.equal(Object.keys(await scene.data()).length, 30)
    assert.deepEqual(
      [...asked].filter(([name, times]) => written.includes(name) && times > 1),
      [],
    )

    await scene.apply({ inputs: [], resources: [configMap('other')] })
    assert.deepEqual(Object.keys(await scene.data()), ['other'])
  })
})

test('RS-056 a shared object stays while one set still renders it', () =>
  onStage({}, async scene => {
    const resources = [configMap('shared'), template]
    await scene.apply({ inputs: tenants, resources })
    await scene.apply({ inputs: tenants.slice(1), resources })
    assert.deepEqual(Object.keys(await scene.data()).sort(), ['cm-two', 'shared'])
  }))

test('RS-110 a deleted ResourceSet takes all of its objects along', () =>
  onStage({}, async scene => {
    await scene.apply({ inputs: tenants, resources: [template] })
    await scene.hub.delete(setRef, {})
    await scene.settle()
    assert.deepEqual([await scene.data(), await scene.read()], [{}, undefined])
  }))

test('RS-069 an object that turns disabled is collected', () =>
  onStage({}, async scene => {
    const annotations = { 'fluxcd.controlplane.io/reconcile': '<< inputs.mode >>' }
    const resources = [configMap('cm', {}, { annotations })]
    await scene.apply({ inputs: [{ mode: 'enabled' }], resources })
    assert.deepEqual(Object.keys(await scene.data()), ['cm'])
    await scene.apply({ inputs: [{ mode: 'disabled' }], resources })
    assert.deepEqual([Object.keys(await scene.data()), await scene.inventory()], [[], []])
  }))

test('RS-115 RS-079 an object that asks to be kept stays, and is told as skipped', () =>
  onStage({}, async scene => {
    const commonMetadata = { annotations: { 'fluxcd.controlplane.io/prune': 'disabled' } }
    await scene.apply({ inputs: tenants, resources: [template], commonMetadata })
    await scene.apply({ inputs: tenants.slice(1), resources: [template], commonMetadata })
    assert.deepEqual(Object.keys(await scene.data()), ['cm-one', 'cm-two'])
    assert.ok((await scene.events()).includes('Normal ApplySucceeded 1x: ConfigMap/default/cm-one skipped'))
    assert.deepEqual(await scene.inventory(), ['default_cm-two__ConfigMap'])
  }))

test('RS-052 labels that are not all text are dropped, as recorded', () =>
  onStage({}, async scene => {
    await scene.apply({ inputs: [{ n: 1 }], resources: [configMap('cm', {}, { labels: { n: '<< inputs.n >>' } })] })
    const live = await scene.hub.get<KubernetesObject>(object('ConfigMap', 'cm'))
    assert.deepEqual(Object.keys(live!.metadata.labels!), [
      'resourceset.fluxcd.controlplane.io/name',
      'resourceset.fluxcd.controlplane.io/namespace',
    ])
  }))

test('a name that YAML reads as a number is told with what to do', () =>
  onStage({}, async scene => {
    await scene.apply({ inputs: [{ id: 7 }], resources: [configMap('<< inputs.id >>')] })
    assert.match(
      (await scene.conditions())[1]!,
      /^Ready=False ReconciliationFailed: reconciliation failed: ConfigMap 1 of 1: metadata.name is missing or no text; quote numbers in templates$/,
    )
  }))

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

test('RS-117 RS-101 while it runs it is reconciling, and afterwards ready without a look at health', () =>
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

test('RS-061 RS-062 a copy follows its source: at once when that is watched, else in its time', () =>
  onStage({}, async scene => {
    await scene.create(stored('ConfigMap', 'src', { data: { a: '1' } }))
    const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
    await scene.apply({ resources: [configMap('copy', {}, { annotations })] })
    const change = (value: string) => scene.change(object('ConfigMap', 'src'), { data: { a: value } })
    await change('2')
    assert.deepEqual((await scene.data()).copy, { a: '1' })
    await scene.advance(66 * 60_000)
    assert.deepEqual((await scene.data()).copy, { a: '2' })
    await scene.change(object('ConfigMap', 'src'), { metadata: { labels: { 'reconcile.fluxcd.io/watch': 'Enabled' } } })
    await change('3')
    assert.deepEqual((await scene.data()).copy, { a: '3' })
    assert.deepEqual((await scene.read())!.status!.dataSources, ['ConfigMap/default/src'])
  }))

test('RS-063 other labels may say what is watched', () =>
  onStage({ isWatched: parseLabelSelector('watched in (yes,always)') }, async scene => {
    const labels = (value: string) => ({ labels: { watched: value } })
    await scene.create(stored('ConfigMap', 'src', { data: { a: '1' } }, labels('yes')))
    const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
    await scene.apply({ resources: [configMap('copy', {}, { annotations })] })
    await scene.change(object('ConfigMap', 'src'), { data: { a: '2' } })
    assert.deepEqual((await scene.data()).copy, { a: '2' })
    await scene.change(object('ConfigMap', 'src'), { metadata: labels('no') })
    await scene.change(object('ConfigMap', 'src'), { data: { a: '3' } })
    assert.deepEqual((await scene.data()).copy, { a: '2' })
  }))

test('RS-060 a source that is missing fails the run, which is tried again', () =>
  onStage({}, async scene => {
    const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
    await scene.apply({ resources: [configMap('copy', {}, { annotations })] })
    assert.match(
      (await scene.conditions())[1]!,
      /^Ready=False ReconciliationFailed: reconciliation failed: failed to copy data from ConfigMap\/default\/src: configmaps "src" not found$/,
    )
    await scene.create(stored('ConfigMap', 'src', { data: { a: '1' } }))
    await scene.advance(60_000)
    assert.deepEqual((await scene.data()).copy, { a: '1' })
  }))

test('RS-064 RS-105 RS-106 RS-108 everything is done as the ServiceAccount, if one is named or the default', async () => {
  const users = async (spec: object, settings = {}) => {
    const seen = new Set<string | undefined>()
    await onStage(
      {
        settings,
        cluster: (hub, impersonate) => ({
          ...hub,
          apply: (...args) => {
            seen.add(impersonate?.user)
            return hub.apply(...args)
          },
          get: (...args) => {
            if (args[1].kind === 'ConfigMap' && args[1].name === 'src') seen.add(`${impersonate?.user} reads`)
            return hub.get(...args)
          },
        }),
      },
      async scene => {
        await scene.create(stored('ConfigMap', 'src', { data: { a: '1' } }))
        const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
        await scene.apply({ resources: [configMap('cm', {}, { annotations })], ...spec })
      },
    )
    return [...seen]
  }
  const account = (name: string) => `system:serviceaccount:default:${name}`
  assert.deepEqual(await users({}), ['undefined reads', undefined])
  assert.deepEqual(await users({ serviceAccountName: 'tenant' }), [`${account('tenant')} reads`, account('tenant')])
  assert.deepEqual(await users({}, { defaultServiceAccount: 'robot' }), [`${account('robot')} reads`, account('robot')])
  const own = { defaultServiceAccount: 'robot', ownNamespace: 'default' }
  assert.deepEqual(await users({}, own), ['undefined reads', undefined])
})

test('RS-116 what can not be deleted stays in the inventory, and is tried again', async () => {
  let isRefused = true
  await onStage(
    {
      cluster: hub => ({
        ...hub,
        delete: async (...args) => {
          if (isRefused) throw new ClusterError('forbidden', 'not allowed')
          return hub.delete(...args)
        },
      }),
    },
    async scene => {
      await scene.apply({ inputs: tenants, resources: [template] })
      await scene.apply({ inputs: tenants.slice(1), resources: [template] })
      assert.match(
        (await scene.conditions())[1]!,
        /^Ready=False ReconciliationFailed: reconciliation failed: delete failed, errors: ConfigMap\/default\/cm-one delete failed: not allowed;$/,
      )
      assert.deepEqual([...(await scene.inventory())].sort(), [
        'default_cm-one__ConfigMap',
        'default_cm-two__ConfigMap',
      ])
      isRefused = false
      await scene.advance(60_000)
      assert.deepEqual(await scene.conditions(), ready)
      assert.deepEqual(Object.keys(await scene.data()), ['cm-two'])
    },
  )
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
