import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { Comparison } from '../../../../lib/foundations/fleet/comparison.ts'
import { isFluxKind } from '../../../../lib/foundations/rules/hub-placement.ts'
import { compareKustomization } from '../../../../lib/reconcile/kustomization/compare.ts'
import { defaultKustomizationSettings } from '../../../../lib/reconcile/kustomization/settings.ts'
import { dryRunPass } from '../../../../lib/reconcile/runtime/dry-run-pass.ts'
import { unsharedReads } from '../../../../lib/reconcile/runtime/shared-reads.ts'
import { hubAsCluster } from '../world.ts'
import { configMap, onStage, type Scene } from './scene.ts'
import { digestOf, undoTo } from './undo-scene.ts'

const secret = (value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: default}\nstringData: {password: ${value}}\n`

const compare = async (
  { ports, platform, read }: Scene,
  cluster: ClusterClient = hubAsCluster(ports),
): Promise<Comparison | undefined> => {
  const { signal } = new AbortController()
  const pass = { signal, startedAt: 0, dryRun: unsharedReads(signal), confine: async (one: ClusterClient) => one }
  return compareKustomization((await read('app'))!, dryRunPass(pass), {
    ...{ ...platform, references: ports.references, hubCluster: () => cluster, settings: defaultKustomizationSettings },
    clusters: { fromKubeconfig: () => cluster, fromConfigMap: async () => cluster },
    ...{ isOfHub: isFluxKind, hasReferrers: async () => false },
  })
}

const change = (scene: Scene, kind: string, name: string, patch: object) =>
  scene.hub.patch({ group: '', kind, namespace: 'default', name }, { type: 'merge', patch }, { fieldManager: 'jane' })

test('a comparison finds what was changed and deleted since a unit was applied, and writes nothing', async () => {
  await onStage({}, async scene => {
    const files = { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1'), 'c.yaml': configMap('c', '1') }
    await scene.push('1', { ...files, 'login.yaml': secret('planted-password') })
    await scene.kustomize('app')
    const same = await compare(scene)
    assert.deepEqual([same?.revision, same?.counts, same?.changes], ['main@sha1:1', { unchanged: 4 }, []])

    await change(scene, 'ConfigMap', 'a', { data: { value: 'by hand' } })
    await change(scene, 'ConfigMap', 'c', { metadata: { labels: { mine: 'too' } } })
    await change(scene, 'Secret', 'login', { stringData: { password: 'changed-password' } })
    await scene.hub.delete({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'b' }, {})
    const writes = scene.changes.length
    const found = await compare(scene)
    assert.equal(scene.changes.length, writes)
    assert.deepEqual(found?.counts, { created: 1, configured: 2, unchanged: 1 })
    assert.deepEqual(
      found.changes.map(({ kind, name, action, origin, fields }) => [
        `${kind}/${name} ${action} (${origin})`,
        ...(fields ?? []).map(({ path, before, after, manager }) => `${path}: ${before} -> ${after}, ${manager}`),
      ]),
      [
        ['ConfigMap/a configured (a.yaml)', 'data.value: by hand -> 1, jane'],
        ['ConfigMap/b created (b.yaml)'],
        ['Secret/login configured (login.yaml)', 'data.password: *** -> ***, jane'],
      ],
    )
    for (const value of ['planted-password', 'changed-password'])
      for (const form of [value, Buffer.from(value).toString('base64')])
        assert.ok(!JSON.stringify(found).includes(form))
  })
})

test('a comparison is with what was applied last, also after an undo, and not with what waits in the source', async () => {
  await onStage({}, async scene => {
    await scene.push('1', { 'a.yaml': configMap('a', '1') })
    await scene.kustomize('app')
    const first = await digestOf(scene)
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    await undoTo(scene, first)
    await scene.push('3', { 'a.yaml': configMap('a', '3') })
    const kept = await compare(scene)
    assert.deepEqual([kept?.revision, kept?.counts], ['main@sha1:1', { unchanged: 1 }])
  })
})

test('what the cluster refuses is said, without the values of Secrets', async () => {
  await onStage({}, async scene => {
    await scene.push('1', { 'a.yaml': configMap('a', '1') })
    await scene.kustomize('app')
    await change(scene, 'ConfigMap', 'a', { data: { value: 'by hand' } })
    const real = hubAsCluster(scene.ports)
    const refusing: ClusterClient = {
      ...real,
      apply: async () => {
        throw new ClusterError('forbidden', 'configmaps "a" is forbidden: no patches here', { status: 403 })
      },
    }
    const found = await compare(scene, refusing)
    assert.match(found?.refused.join() ?? '', /no patches here/)
    assert.deepEqual(found?.changes, [])
  })
})

test('a unit that has applied nothing, or keeps no manifests, is not compared, and the error says why', async () => {
  await onStage({ settings: { undoLimit: 0 } }, async scene => {
    await scene.kustomize('app')
    await assert.rejects(compare(scene), /it has not applied anything yet/)
    await scene.push('1', { 'a.yaml': configMap('a', '1') })
    await assert.rejects(compare(scene), /what it applied last \(sha256:\w+\) is not kept: with --undo-limit 0/)
  })
})
