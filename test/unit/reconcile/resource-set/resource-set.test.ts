/** What a ResourceSet applies and collects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { configMap, onStage, setRef } from './scene.ts'
import { object, ready, template, tenants } from './sets.ts'

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

test('RS-115 RS-079 an object that opts out of deletion stays, and is reported as skipped', () =>
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

test('a name that YAML reads as a number is reported with its remedy', () =>
  onStage({}, async scene => {
    await scene.apply({ inputs: [{ id: 7 }], resources: [configMap('<< inputs.id >>')] })
    assert.match(
      (await scene.conditions())[1]!,
      /^Ready=False ReconciliationFailed: reconciliation failed: ConfigMap 1 of 1: metadata.name must be a string: quote numbers in templates$/,
    )
  }))
