import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../bed/eventually.ts'
import { endWithTest } from '../bed/teardown.ts'
import { startBeds } from '../conformance/flux/beds.ts'
import { version, widgets } from './custom-definitions.ts'
import { configMap, dataOf, onStage } from './kustomization-stage.ts'

/** Kustomizations, from git to a real Kubernetes API server, by the numbers of the checklist. */
const beds = endWithTest(await startBeds())

const group = 'kustomize.toolkit.fluxcd.io'

test('KS-010 KS-015 KS-061 applies the root of a GitRepository of its own namespace', async () => {
  await onStage(beds, { revisions: [{ 'a.yaml': configMap('a') }] }, async ({ kustomize, becomes, live }) => {
    await kustomize('app')
    await becomes('app', 'True', /^Applied revision: main@sha1:/)
    assert.equal(dataOf(await live('v1', 'ConfigMap', 'a')), '1')
  })
})

test('KS-017 stalls on a source of another namespace where that is not allowed', async () => {
  const settings = { noCrossNamespaceRefs: true }
  await onStage(beds, { revisions: [{ 'a.yaml': configMap('a') }], settings }, async ({ kustomize, read, becomes }) => {
    await kustomize('app', { sourceRef: { kind: 'GitRepository', name: 'app', namespace: 'default' } })
    await becomes(
      'app',
      'False',
      /^can't access 'GitRepository\/default\/app', cross-namespace references have been blocked$/,
    )
    const stalled = (await read('app'))?.status?.conditions?.find(({ type }) => type === 'Stalled')
    assert.deepEqual([stalled?.status, stalled?.reason], ['True', 'AccessDenied'])
  })
})

test('KS-022 passes once over a revision that it hears of twice', async () => {
  const revisions = [{ 'a.yaml': configMap('a', '1') }, { 'a.yaml': configMap('a', '2') }]
  await onStage(beds, { revisions }, async ({ kustomize, becomes, push, read, world }) => {
    await kustomize('app')
    await becomes('app', 'True')
    await push(2)
    await push(2)
    await eventually(async () => {
      const { history = [], lastAppliedRevision } = (await read('app'))?.status ?? {}
      assert.notEqual(lastAppliedRevision, history[1]?.metadata?.revision)
      assert.equal(history.length, 2)
    })
    await world.clock.sleep(3_000)
    assert.equal((await read('app'))?.status?.history?.[0]?.totalReconciliations, 1)
  })
})

test('KS-027 KS-028 KS-029 KS-032 KS-033 keeps objects with a label or annotation that forbids pruning, in any case', async () => {
  const marked = (name: string, where: string, key: string, value: string) =>
    configMap(name, '1', `  ${where}:\n    ${group}/${key}: ${value}\n`)
  const kept = {
    'label.yaml': marked('label', 'labels', 'prune', 'disabled'),
    'annotation.yaml': marked('annotation', 'annotations', 'prune', 'Disabled'),
  }
  const files = {
    ...kept,
    'live.yaml': configMap('live'),
    'ignored.yaml': configMap('ignored'),
    'gone.yaml': configMap('gone'),
  }
  await onStage(beds, { revisions: [files, { 'z.yaml': configMap('z') }] }, async stage => {
    const { kustomize, becomes, live, push, cluster, namespace } = stage
    await kustomize('app')
    await becomes('app', 'True')
    for (const [name, annotation] of [
      ['live', { [`${group}/reconcile`]: 'Disabled' }],
      ['ignored', { [`${group}/ssa`]: 'Ignore' }],
    ] as const) {
      const ref = { group: '', kind: 'ConfigMap', namespace, name }
      await cluster.patch(
        'v1',
        ref,
        { type: 'merge', patch: { metadata: { annotations: annotation } } },
        { fieldManager: 'someone' },
      )
    }
    await push(2)
    await eventually(async () => assert.equal(await live('v1', 'ConfigMap', 'gone'), undefined))
    for (const name of ['label', 'annotation', 'live', 'ignored']) assert.ok(await live('v1', 'ConfigMap', name), name)
  })
})

test('KS-135 acts as itself without an account, KS-138 and within its rights as a tenant', async () => {
  const role = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: NAME\n'
  const revisions = [
    {
      'own/a.yaml': configMap('a'),
      'cluster/r.yaml': role,
      'other/o.yaml': configMap('o', '1', '  namespace: default\n'),
    },
  ]
  await onStage(beds, { revisions }, async ({ kustomize, becomes, apply, live, namespace }) => {
    const rbac = 'rbac.authorization.k8s.io'
    await apply(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'tenant' } },
      {
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata: { name: 'tenant' },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' },
        subjects: [{ kind: 'ServiceAccount', name: 'tenant', namespace }],
      },
    )
    const tenant = { serviceAccountName: 'tenant' }
    const patches = [
      { patch: `- {op: replace, path: /metadata/name, value: ${namespace}}`, target: { kind: 'ClusterRole' } },
    ]
    await kustomize('own', { path: 'own', ...tenant })
    await becomes('own', 'True')
    await kustomize('cluster', { path: 'cluster', patches, ...tenant })
    await becomes(
      'cluster',
      'False',
      new RegExp(
        `^ClusterRole/${namespace} dry-run failed \\(Forbidden\\): .*system:serviceaccount:${namespace}:tenant`,
      ),
    )
    await kustomize('other', { path: 'other', targetNamespace: undefined, ...tenant })
    await becomes('other', 'False', /^ConfigMap\/default\/o dry-run failed \(Forbidden\)/)
    await kustomize('cluster', { path: 'cluster', patches })
    await becomes('cluster', 'True')
    assert.ok(await live(`${rbac}/v1`, 'ClusterRole', namespace, ''))
  })
})

test('KS-208 names the immutable field without force; KS-210 with force recreates nothing that an update can change', async () => {
  const immutable = (value: string) => `${configMap('fixed', value)}immutable: true\n`
  const revision = (value: string) => ({ 'a.yaml': configMap('a', value), 'fixed.yaml': immutable(value) })
  await onStage(beds, { revisions: [revision('1'), revision('2')] }, async ({ kustomize, becomes, live, push }) => {
    await kustomize('app')
    await becomes('app', 'True')
    const [plain, fixed] = [await live('v1', 'ConfigMap', 'a'), await live('v1', 'ConfigMap', 'fixed')]
    await push(2)
    await becomes(
      'app',
      'False',
      /ConfigMap\/stage-.*\/fixed dry-run failed \(Invalid\): .*data: Forbidden: field is immutable/,
    )
    await kustomize('app', { force: true })
    await becomes('app', 'True')
    const [plainAfter, fixedAfter] = [await live('v1', 'ConfigMap', 'a'), await live('v1', 'ConfigMap', 'fixed')]
    assert.deepEqual([dataOf(plainAfter), dataOf(fixedAfter)], ['2', '2'])
    assert.equal(plainAfter?.metadata.uid, plain?.metadata.uid)
    assert.notEqual(fixedAfter?.metadata.uid, fixed?.metadata.uid)
  })
})

test('KS-293 moves managed fields of an older API version to the applied one, if requested', async () => {
  const definition = widgets('relic', [
    version('v1', false),
    version('v2', true, { level: { type: 'integer', default: 1 } }),
  ])
  const relic = 'apiVersion: stage.example.com/v2\nkind: Relic\nmetadata:\n  name: r\nspec:\n  name: new\n'
  const settings = { migrateApiVersion: true }
  await onStage(
    beds,
    { revisions: [{ 'r.yaml': relic }], settings },
    async ({ kustomize, becomes, live, cluster, namespace }) => {
      await cluster.apply(definition, { fieldManager: 'someone', force: true })
      await eventually(async () => void (await cluster.resourceFor('stage.example.com/v1', 'Relic')))
      const old = {
        apiVersion: 'stage.example.com/v1',
        kind: 'Relic',
        metadata: { name: 'r', namespace },
        spec: { other: 'x' },
      }
      await eventually(async () => void (await cluster.apply(old, { fieldManager: 'tool', force: true })))
      await kustomize('app')
      await becomes('app', 'True')
      const { metadata, spec } = (await live('stage.example.com/v2', 'Relic', 'r'))!
      assert.deepEqual(spec, { name: 'new', other: 'x', level: 1 })
      assert.deepEqual(
        [...new Set(metadata.managedFields?.map(({ apiVersion }) => apiVersion))],
        ['stage.example.com/v2'],
      )
    },
  )
})

test('continues after refusals if the Kustomization requests it, and reports all of them', async () => {
  const bad = (name: string) => configMap(name).replace('value: "1"', 'value: {}')
  const files = { 'a.yaml': configMap('a'), 'bad.yaml': bad('bad'), 'worse.yaml': bad('worse') }
  await onStage(beds, { revisions: [files] }, async ({ kustomize, becomes, live, read, events }) => {
    await kustomize('strict')
    const message = await becomes(
      'strict',
      'False',
      /bad dry-run failed.*\(from bad.yaml:\d+\)\n.*worse dry-run failed.*\(from worse.yaml:\d+\)/,
    )
    assert.equal(await live('v1', 'ConfigMap', 'a'), undefined)
    await eventually(async () => (await events('strict')).includes(`Warning ReconciliationFailed: ${message}`))
    await kustomize('lax', {}, { annotations: { 'kustomize.keelson.dev/on-refusal': 'continue' } })
    await becomes('lax', 'False', /bad dry-run failed[\s\S]*worse dry-run failed[\s\S]*a created/)
    assert.equal(dataOf(await live('v1', 'ConfigMap', 'a')), '1')
    assert.deepEqual(
      (await read('lax'))?.status?.inventory?.entries.map(({ id }) => id.split('_')[1]),
      ['a'],
    )
  })
})

/** `KEELSON_HUGE=5000` takes a busy machine a minute. */
const count = Number(process.env.KEELSON_HUGE ?? 1_000)

test(`KS-334 keeps ${count} objects, knows them at few requests, and lets them go`, async () => {
  const names = Array.from({ length: count }, (_, at) => `m${at}`)
  const all = names.map(name => `${configMap(name)}---\n`).join('')
  await onStage(beds, { revisions: [{ 'all.yaml': all }, { 'all.yaml': configMap('m0') }] }, async stage => {
    const { kustomize, becomes, read, request, push, cluster, namespace, world } = stage
    await kustomize('app', { timeout: '5m' })
    await becomes('app', 'True', /./, 200_000)
    assert.equal((await read('app'))?.status?.inventory?.entries.length, count)
    const startedAt = performance.now()
    await request('app')
    await eventually(async () => assert.equal((await read('app'))?.status?.history?.[0]?.totalReconciliations, 2), {
      within: 60_000,
    })
    console.log(`# ${count} unchanged objects verified in ${Math.round(performance.now() - startedAt)} ms`)
    await push(2)
    await eventually(async () => assert.equal((await read('app'))?.status?.inventory?.entries.length, 1), {
      within: 200_000,
    })
    const { items } = await cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace, metadataOnly: true })
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name).filter(name => name.startsWith('m')),
      ['m0'],
    )
    assert.ok(world)
  })
})
