/** What a runner gets for a HelmRelease, and what it may do with the HelmChart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmRelease } from '../../../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { by } from '../store/world.ts'
import { digest, runnerWorld } from './runner-world.ts'

const aurora = 'ships/aurora'

const release = (namespace: string, cluster: string, chart: object) =>
  ({
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { namespace, name: 'web' },
    spec: {
      interval: '1h',
      kubeConfig: { configMapRef: { name: cluster } },
      chart: { spec: { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'charts' }, ...chart } },
      valuesFrom: [{ kind: 'Secret', name: 'values' }],
    },
  }) as unknown as HelmRelease

const chartFor = (namespace: string, name: string, owner: string): KubernetesObject => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'HelmChart',
  metadata: {
    ...{ namespace, name },
    labels: { 'helm.toolkit.fluxcd.io/name': owner, 'helm.toolkit.fluxcd.io/namespace': 'ships', team: 'deck' },
  },
  spec: { chart: 'web', interval: '1h', sourceRef: { kind: 'HelmRepository', name: 'charts' } },
})

const artifactOf = (name: string) => ({
  path: `helmchart/ships/${name}/web-1.0.0.tgz`,
  digest: digest('c'),
  revision: '1.0.0',
  lastUpdateTime: '2026-01-01T00:00:00Z',
  url: 'http://hub',
})

const withStatus = async (hub: Awaited<ReturnType<typeof runnerWorld>>['hub'], chart: KubernetesObject) => {
  const created = await hub.create(chart, by('test'))
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Succeeded',
    message: 'hidden text',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  const status = { artifact: artifactOf(chart.metadata.name), conditions: [condition] }
  await hub.update({ ...created, status }, { ...by('test'), subresource: 'status' })
}

test('a runner gets the HelmReleases of its cluster, their values, their own charts and the content of those', async () => {
  const world = await runnerWorld()
  const { hub } = world
  await hub.create(release('ships', 'aurora', {}), by('test'))
  await withStatus(hub, chartFor('ships', 'ships-web', 'web'))
  await withStatus(hub, chartFor('ships', 'ships-other', 'other'))
  const { caller, sync } = await world.runner(aurora)
  const { own, others } = sync.copy!
  assert.ok(own.some(({ kind, metadata }) => kind === 'HelmRelease' && metadata.finalizers?.length === 1))
  const charts = others.filter(({ kind }) => kind === 'HelmChart')
  assert.deepEqual(
    charts.map(({ metadata: { name, labels } }) => [name, labels?.team]),
    [['ships-web', 'deck']],
  )
  assert.match(JSON.stringify(charts), /hidden text/, 'the chart is made from its own spec')
  const contentOf = async (name: string) => {
    const content = await caller.send(aurora, 'artifact', {
      lease: sync.lease,
      name: `helmchart/ships/${name}/${'c'.repeat(64)}.tar.gz`,
    })
    return content.status
  }
  assert.deepEqual([await contentOf('ships-web'), await contentOf('ships-other')], [200, 404])
})

test('a runner sees which chart a Rollout of its namespace rolls out, and its artifact only in a run', async () => {
  const world = await runnerWorld({ noCrossNamespaceRefs: true })
  const { hub } = world
  await hub.create(release('ships', 'aurora', {}), by('test'))
  await withStatus(hub, chartFor('shops', 'rolled-out', 'other'))
  await withStatus(hub, chartFor('shops', 'other', 'other'))
  const rollout = {
    ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Rollout', metadata: { name: 'web', namespace: 'shops' } },
    spec: { sources: [{ kind: 'HelmChart', name: 'rolled-out' }], stages: [{ name: 'all' }] },
  }
  await hub.create(rollout, by('test'))
  const metadata = { annotations: { 'keelson.dev/rollouts': 'shops/web' } }
  const ships = { group: '', kind: 'Namespace', namespace: '', name: 'ships' }
  await hub.patch(ships, { type: 'merge', patch: { metadata } }, by('test'))
  const { sync } = await world.runner(aurora)
  const charts = sync.copy!.others.filter(({ kind }) => kind === 'HelmChart')
  assert.deepEqual(
    charts.map(({ metadata: { namespace, name }, spec, status }) => [
      ...[namespace, name, (spec as { chart: string }).chart],
      (status as { artifact?: object }).artifact,
    ]),
    [['shops', 'rolled-out', 'web', undefined]],
  )
})

test('a runner has the hub apply the chart of a stored release, and no other', async () => {
  const world = await runnerWorld({ noCrossNamespaceRefs: true })
  const { hub, charts } = world
  const { metadata } = await hub.create(release('ships', 'aurora', {}), by('test'))
  const other = await hub.create(release('shops', 'berlin', {}), by('test'))
  const { caller, sync } = await world.runner(aurora)
  const ref = { group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease', namespace: 'ships', name: 'web' }
  const send = async (content: object) =>
    (await caller.send(aurora, 'chart', { lease: sync.lease, ref, uid: metadata.uid, ...content })).status
  assert.equal(await send({}), 200)
  assert.equal(await send({ dryRun: true, chart: chartFor('ships', 'forged', 'web') }), 200)
  assert.equal(await send({ remove: { namespace: 'ships', name: 'ships-web' } }), 200)
  assert.equal(await send({ ref: { ...ref, namespace: 'shops' }, uid: other.metadata.uid }), 404)
  const unit = await hub.get<KubernetesObject>({
    ...ref,
    group: 'kustomize.toolkit.fluxcd.io',
    kind: 'Kustomization',
    name: 'app',
  })
  assert.equal(
    await send({
      ref: { ...ref, group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', name: 'app' },
      uid: unit!.metadata.uid,
    }),
    400,
  )
  assert.deepEqual(charts, ['ships/ships-web', 'dry run ships/ships-web', 'remove ships/ships-web of web'])

  const elsewhere = { sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: 'shops' } }
  await hub.patch(ref, { type: 'merge', patch: { spec: { chart: { spec: elsewhere } } } }, by('test'))
  assert.equal(await send({}), 403, 'a chart in another namespace')
})
