import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'

const settings = { pruneGuard: true, moveWaitMs: 365 * 24 * 3600_000 } // artifacts of the scene are from the beginning of a year

const ofFolder = (folder: string, names: readonly string[]): Record<string, string> =>
  Object.fromEntries([
    [`${folder}/README.md`, ''],
    ...names.map(name => [`${folder}/${name}.yaml`, configMap(name, '1')]),
  ])

const ref = (name: string) => ({
  group: 'kustomize.toolkit.fluxcd.io',
  kind: 'Kustomization',
  namespace: 'default',
  name,
})

const read = ({ hub }: Scene, name: string) =>
  hub.get<KubernetesObject>({ group: '', kind: 'ConfigMap', namespace: 'default', name })

const ownerOf = async (scene: Scene, name: string) =>
  (await read(scene, name))?.metadata.labels?.['kustomize.toolkit.fluxcd.io/name']

const readyOf = async ({ read }: Scene, name: string) => conditionOf((await read(name))?.status?.conditions, 'Ready')

for (const [from, to] of [
  ['a', 'b'],
  ['b', 'a'],
] as const)
  test(`an object that a push moves from ${from} to ${to} is never deleted, whichever is applied first`, async () => {
    await onStage({ settings }, async scene => {
      const { push, kustomize, inventory, advance } = scene
      await push('1', { ...ofFolder(from, ['moves', 'stays']), ...ofFolder(to, ['other']) })
      for (const name of ['a', 'b']) await kustomize(name, { path: `./${name}` })
      const before = (await read(scene, 'moves'))?.metadata.uid
      await push('2', { ...ofFolder(from, ['stays']), ...ofFolder(to, ['other', 'moves']) })
      await advance(120_000)
      assert.equal((await read(scene, 'moves'))?.metadata.uid, before)
      assert.equal(await ownerOf(scene, 'moves'), to)
      assert.deepEqual(await inventory(from), ['default_stays__ConfigMap'])
      assert.deepEqual(await inventory(to), ['default_moves__ConfigMap', 'default_other__ConfigMap'])
      for (const name of ['a', 'b']) assert.equal((await readyOf(scene, name))?.status, 'True')
    })
  })

test('an object that two units have stays with the other one when one drops it, and goes when both have', async () => {
  await onStage({ settings }, async scene => {
    const { push, kustomize, advance } = scene
    await push('1', { ...ofFolder('a', ['shared', 'x']), ...ofFolder('b', ['shared', 'y']) })
    await kustomize('b', { path: './b' })
    await kustomize('a', { path: './a' }) // the last one labels it
    assert.equal(await ownerOf(scene, 'shared'), 'a')
    const before = (await read(scene, 'shared'))?.metadata.uid
    await push('2', { ...ofFolder('a', ['x']), ...ofFolder('b', ['shared', 'y']) })
    await advance(120_000)
    assert.equal((await read(scene, 'shared'))?.metadata.uid, before)
    assert.equal(await ownerOf(scene, 'shared'), 'b')
    await push('3', { ...ofFolder('a', ['x']), ...ofFolder('b', ['y']) })
    await advance(120_000)
    assert.equal(await read(scene, 'shared'), undefined)
  })
})

test('a unit of the source that cannot take the revision delays deletions for a while, and says so', async () => {
  await onStage({ settings: { ...settings, moveWaitMs: 0 } }, async scene => {
    const { push, kustomize, values } = scene
    await push('1', { ...ofFolder('a', ['x', 'y']), ...ofFolder('b', ['z']) })
    for (const name of ['a', 'b']) await kustomize(name, { path: `./${name}` })
    await push('2', { ...ofFolder('a', ['x']), 'b/broken.yaml': '{' })
    assert.deepEqual(Object.keys(await values()), ['x', 'z'], 'the wait is over')
  })
  await onStage({ settings }, async scene => {
    const { push, kustomize, values } = scene
    await push('1', { ...ofFolder('a', ['x', 'y']), ...ofFolder('b', ['z']) })
    for (const name of ['a', 'b']) await kustomize(name, { path: `./${name}` })
    await push('2', { ...ofFolder('a', ['x']), 'b/broken.yaml': '{' })
    assert.deepEqual(Object.keys(await values()), ['x', 'y', 'z'])
    const a = await scene.read('a')
    assert.equal(a?.status?.lastAppliedRevision, 'main@sha1:2')
    assert.match(
      conditionOf(a?.status?.conditions, 'Waiting')?.message ?? '',
      /^1 deletion waits until .*: Kustomization default\/b has not applied revision main@sha1:2 yet, and may take them over$/,
    )
  })
})

const child = (spec: string) => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: child, namespace: default}
spec: {interval: 10h, prune: true, path: ./child, sourceRef: {kind: GitRepository, name: app}, ${spec}}
`

test('a unit that waits for health looks at its postponed deletions when that wait ends, not at its next interval', async () => {
  await onStage({ settings }, async scene => {
    const { push, kustomize, advance } = scene
    const others = { ...ofFolder('child', ['x']), ...ofFolder('b', ['y']), ...ofFolder('c', ['z']) }
    await push('1', { ...ofFolder('a', ['gone']), 'a/child.yaml': child('timeout: 1m'), ...others })
    await kustomize('b', { path: './b', dependsOn: [{ name: 'c' }] })
    await kustomize('a', { path: './a', wait: true, interval: '10h', timeout: '2m' })
    await push('2', { 'a/child.yaml': child('timeout: 2m'), ...others })
    await advance(60_000)
    assert.equal((await readyOf(scene, 'a'))?.status, 'True')
    assert.ok(await read(scene, 'gone'), 'b may take it')
    await kustomize('c', { path: './c' })
    await advance(5 * 60_000)
    assert.equal(await read(scene, 'gone'), undefined)
  })
})

test('so does a unit whose deletions the guard holds as a whole: what it has awaited has them by then', async () => {
  const moving = Array.from({ length: 12 }, (_, index) => `m-${index}`)
  await onStage({ settings }, async scene => {
    const { push, kustomize, advance, inventory } = scene
    const others = { ...ofFolder('child', ['x']), ...ofFolder('c', ['z']) }
    await push('1', {
      ...ofFolder('a', moving),
      'a/child.yaml': child('timeout: 1m'),
      ...ofFolder('b', ['y']),
      ...others,
    })
    await kustomize('b', { path: './b', dependsOn: [{ name: 'c' }] })
    await kustomize('a', { path: './a', wait: true, interval: '10h', retryInterval: '10h', timeout: '2m' })
    await push('2', { 'a/child.yaml': child('timeout: 2m'), ...ofFolder('b', ['y', ...moving]), ...others })
    await advance(60_000)
    assert.equal((await readyOf(scene, 'a'))?.reason, 'PruneGuarded')
    const before = (await read(scene, 'm-0'))?.metadata.uid
    await kustomize('c', { path: './c' })
    await advance(5 * 60_000)
    assert.equal((await readyOf(scene, 'a'))?.status, 'True')
    assert.deepEqual(await inventory('a'), ['default_child_kustomize.toolkit.fluxcd.io_Kustomization'])
    assert.equal((await read(scene, 'm-0'))?.metadata.uid, before)
    assert.equal(await ownerOf(scene, 'm-0'), 'b')
  })
})

test('with the guard off an object is deleted and created again, as in Flux', async () => {
  await onStage({ settings: { ...settings, pruneGuard: false } }, async scene => {
    const { push, kustomize } = scene
    await push('1', { ...ofFolder('a', ['moves', 'stays']), ...ofFolder('b', ['other']) })
    for (const name of ['a', 'b']) await kustomize(name, { path: `./${name}` })
    const before = (await read(scene, 'moves'))?.metadata.uid
    await push('2', { ...ofFolder('a', ['stays']), ...ofFolder('b', ['other', 'moves']) })
    assert.notEqual((await read(scene, 'moves'))?.metadata.uid, before)
  })
})

const adopting = async ({ hub, settle }: Scene, name: string, adopts: string) => {
  const annotations = { 'keelson.dev/adopts': adopts }
  await hub.patch(ref(name), { type: 'merge', patch: { metadata: { annotations } } }, author)
  await settle()
}

test('a renamed unit takes over what its deleted predecessor had, and prunes what is not in its build', async () => {
  for (const isFirst of [true, false])
    await onStage({ settings }, async scene => {
      const { push, kustomize, inventory, values, hub, settle, advance } = scene
      await push('1', { ...ofFolder('old', ['x', 'y', 'left']), ...ofFolder('new', ['x', 'y']) })
      await kustomize('old', { path: './old' })
      const before = (await read(scene, 'x'))?.metadata.uid
      if (isFirst) {
        await kustomize('new', { path: './new' })
        await adopting(scene, 'new', 'old')
        assert.deepEqual(Object.keys(await values()), ['left', 'x', 'y'], 'nothing is taken from a unit that is there')
        await hub.delete(ref('old'), {})
      } else {
        // It exists, and is not applied yet when its predecessor is deleted.
        await kustomize('new', { path: './new', suspend: true })
        await adopting(scene, 'new', 'old')
        await hub.delete(ref('old'), {})
        await settle()
        assert.deepEqual(Object.keys(await values()), ['left', 'x', 'y'])
        await hub.patch(ref('new'), { type: 'merge', patch: { spec: { suspend: false } } }, author)
      }
      await settle()
      assert.equal(await scene.read('old'), undefined)
      await advance(700_000)
      assert.equal((await read(scene, 'x'))?.metadata.uid, before)
      assert.equal(await ownerOf(scene, 'x'), 'new')
      assert.deepEqual(await inventory('new'), ['default_x__ConfigMap', 'default_y__ConfigMap'])
      assert.deepEqual(Object.keys(await values()), ['x', 'y'])
      assert.equal((await readyOf(scene, 'new'))?.status, 'True')
    })
})

test('a unit that nobody adopts is deleted with its objects, and so is one that only a deleted or another name adopts', async () => {
  await onStage({ settings }, async scene => {
    const { push, kustomize, values, hub, settle } = scene
    await push('1', { ...ofFolder('old', ['x']), ...ofFolder('new', ['y']) })
    await kustomize('old', { path: './old' })
    await kustomize('new', { path: './new' })
    await adopting(scene, 'new', 'older, ol, new')
    await hub.delete(ref('old'), {})
    await settle()
    assert.deepEqual(Object.keys(await values()), ['y'])
  })
})
