/** Dependencies on units of other kinds and clusters, by the annotation keelson.dev/depends-on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { kustomizationAddress } from '../../../../lib/reconcile/kustomization/kustomization-address.ts'
import { enqueueDependents } from '../../../../lib/reconcile/runtime/news.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'
import { annotate, clusterWith, prod, waiting } from './windows-scene.ts'

const files = (version: string) => ({
  'app/a.yaml': configMap('app', version),
  'db/b.yaml': configMap('db', version),
})

/** Two units, both at revision 1: app depends on db. */
const story = (on: string, spec: object, then: (scene: Scene) => Promise<void>, settings = {}): Promise<void> =>
  onStage({ settings }, async scene => {
    await clusterWith(scene, {})
    await scene.push('1', files('1'))
    await scene.kustomize('db', { path: './db', ...spec })
    await scene.kustomize('app', { path: './app' })
    await annotate(scene, { 'keelson.dev/depends-on': on })
    await then(scene)
  })

const suspend = async ({ hub, settle }: Scene, isSuspended: boolean): Promise<void> => {
  await hub.patch(kustomizationRef('db'), { type: 'merge', patch: { spec: { suspend: isSuspended } } }, author)
  await settle()
}

test('a unit waits until one on another cluster is ready at its newest revision, and follows at once', async () => {
  await story('Kustomization/db@prod', prod, async scene => {
    assert.equal(await waiting(scene), undefined, 'it is ready')
    await suspend(scene, true)
    await scene.push('2', files('2'))
    assert.equal(
      await waiting(scene),
      'True DependencyNotReady: everything waits: dependency Kustomization/default/db has not applied revision main@sha1:2',
    )
    assert.deepEqual(await scene.values(), { app: '1', db: '1' })
    const before = scene.clock.now()
    await suspend(scene, false)
    assert.deepEqual(await scene.values(), { app: '2', db: '2' })
    assert.equal(await waiting(scene), undefined)
    assert.ok(scene.clock.now() - before < 5_000, 'by a message, not by the interval')
  })
})

test('a unit that is ready, but on another cluster than the dependency names, does not count', async () => {
  await story('Kustomization/db@prod', {}, async scene => {
    await scene.push('2', files('2'))
    assert.match(
      (await waiting(scene)) ?? '',
      /dependency Kustomization\/default\/db does not apply to Cluster default\/prod$/,
    )
    assert.deepEqual(await scene.values(), { app: '1', db: '2' })
    await annotate(scene, { 'keelson.dev/depends-on': 'Kustomization/default/db' })
    assert.deepEqual(await scene.values(), { app: '2', db: '2' }, 'a change of the annotation counts at once')
  })
})

test('a unit that a Rollout holds counts as ready at the revision of its pin', async () => {
  await story('Kustomization/db', {}, async scene => {
    await suspend(scene, true)
    const [kept] = [(await scene.hub.get<KubernetesObject>(source))!]
    const { artifact } = kept.status as { readonly artifact: { readonly path: string } }
    const run = {
      apiVersion: 'fleet.keelson.dev/v1alpha1',
      kind: 'RolloutRun',
      metadata: { name: 'web-1', namespace: 'default' },
      spec: {
        rollout: 'web',
        sources: [
          {
            ...{ kind: 'GitRepository', name: 'app', namespace: 'default' },
            artifact: { ...artifact, path: 'rolloutrun/default/web-1/1.tar.gz' },
          },
        ],
        stages: [{ name: 'all' }],
      },
    }
    await scene.hub.create(run as unknown as KubernetesObject, author)
    const pin = { metadata: { annotations: { 'keelson.dev/pin': 'default/web-1@2026-01-01T00:00:00.000Z' } } }
    await scene.hub.patch(kustomizationRef('db'), { type: 'merge', patch: pin }, author)
    await scene.push('2', files('2'))
    assert.deepEqual([await waiting(scene), await scene.values()], [undefined, { app: '2', db: '1' }])
  })
})

const source = { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: 'default', name: 'app' }

test('a unit depends on a release and on a ResourceSet, and goes on when the last of them is ready', async () => {
  await story('HelmRelease/cache, ResourceSet/tenants', {}, async scene => {
    const { hub, settle } = scene
    const create = (object: object) => hub.create(object as KubernetesObject, author)
    const statusOf = async (ref: typeof release, status: object) => {
      await hub.patch(ref, { type: 'merge', patch: { status } }, { ...author, subresource: 'status' })
      await enqueueDependents(scene.ports, [kustomizationAddress] as never, ref)
      await settle()
    }
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Done',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    assert.match((await waiting(scene)) ?? '', /dependency HelmRelease\/default\/cache was not found/)
    await create({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmChart',
      metadata: { name: 'cache', namespace: 'default' },
      spec: { chart: 'cache', interval: '1h', sourceRef: { kind: 'HelmRepository', name: 'charts' } },
    })
    const artifact = {
      revision: '1.1.0',
      digest: 'sha256:1',
      path: 'helmchart/default/cache/cache-1.1.0.tgz',
      url: 'u',
      lastUpdateTime: '2026-01-01T00:00:00Z',
    }
    await hub.patch(
      { ...source, kind: 'HelmChart', name: 'cache' },
      { type: 'merge', patch: { status: { artifact, observedGeneration: 1 } } },
      { ...author, subresource: 'status' },
    )
    await create({
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      metadata: { name: 'cache', namespace: 'default' },
      spec: { interval: '1h', chartRef: { kind: 'HelmChart', name: 'cache' } },
    })
    await statusOf(release, { observedGeneration: 1, conditions: [ready], lastAttemptedRevision: '1.0.0' })
    assert.match((await waiting(scene)) ?? '', /HelmRelease\/default\/cache has not applied revision 1\.1\.0$/)
    await statusOf(release, { lastAttemptedRevision: '1.1.0' })
    assert.match((await waiting(scene)) ?? '', /ResourceSet\/default\/tenants was not found$/)
    await create({
      apiVersion: 'fluxcd.controlplane.io/v1',
      kind: 'ResourceSet',
      metadata: { name: 'tenants', namespace: 'default' },
      spec: { resources: [] },
    })
    await statusOf(set, { conditions: [{ ...ready, status: 'False', observedGeneration: 1 }] })
    assert.match((await waiting(scene)) ?? '', /ResourceSet\/default\/tenants is not ready$/)
    await statusOf(set, { conditions: [{ ...ready, observedGeneration: 1 }] })
    assert.equal(await waiting(scene), undefined)
  })
})

const release = { group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease', namespace: 'default', name: 'cache' }
const set = { group: 'fluxcd.controlplane.io', kind: 'ResourceSet', namespace: 'default', name: 'tenants' }

test('a cycle is named, also one through spec.dependsOn', async () => {
  await story('Kustomization/db', { dependsOn: [{ name: 'app' }] }, async scene => {
    await scene.push('2', files('2'))
    assert.match(
      (await waiting(scene)) ?? '',
      /has not applied revision main@sha1:2: dependency cycle Kustomization\/default\/app -> Kustomization\/default\/db -> Kustomization\/default\/app$/,
    )
    assert.deepEqual(await scene.values(), { app: '1', db: '1' })
  })
})

test('with --no-cross-namespace-refs a tenant learns nothing of units of other namespaces', async () => {
  const settings = { noCrossNamespaceRefs: true }
  await story(
    'Kustomization/db',
    {},
    async scene => {
      assert.equal(await waiting(scene), undefined)
      const other = { name: 'there', namespace: 'other' }
      const spec = { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } }
      const unit = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata: other, spec }
      await scene.hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } }, author)
      await scene.hub.create(unit as KubernetesObject, author)
      for (const name of ['there', 'not-there']) {
        await annotate(scene, { 'keelson.dev/depends-on': `Kustomization/other/${name}` })
        assert.equal(
          await waiting(scene),
          `True DependencyNotReady: everything waits: dependency Kustomization/other/${name} can't be read: can't access 'Kustomization/other/${name}', cross-namespace references have been blocked`,
        )
      }
    },
    settings,
  )
})

test('Ready of a unit that waits stays as it was', async () => {
  await story('Kustomization/gone', {}, async scene => {
    const ready = conditionOf((await scene.read('app'))?.status?.conditions, 'Ready')
    assert.deepEqual([ready?.status, ready?.message], ['True', 'Applied revision: main@sha1:1'])
    assert.match((await waiting(scene)) ?? '', /Kustomization\/default\/gone was not found$/)
  })
})
