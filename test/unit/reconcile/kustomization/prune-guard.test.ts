import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { onStage, type Scene } from './scene.ts'

const configMap = (name: string, annotations = '{}'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\n  annotations: ${annotations}\ndata:\n  value: '1'\n`
const files = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map(name => [`${name}.yaml`, configMap(name)]))
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `cm-${index}`)
const settings = { pruneGuard: true }

const allow = async ({ hub, settle, read }: Scene, digest: string) => {
  const app = (await read('app'))!
  const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' }
  const annotations = { 'keelson.dev/allow-prune': digest, 'reconcile.fluxcd.io/requestedAt': String(Math.random()) }
  assert.ok(app)
  await hub.patch(ref, { type: 'merge', patch: { metadata: { annotations } } }, { fieldManager: 'someone' })
  await settle()
}

const readyOf = async ({ read }: Scene) => conditionOf((await read('app'))?.status?.conditions, 'Ready')!

test('a push that drops most of ten objects applies the rest and deletes nothing until that list is allowed', async () => {
  await onStage({ settings }, async scene => {
    const { push, kustomize, values, inventory, read } = scene
    await push('1', files(names(10)))
    await kustomize('app', {})
    await push('2', files(['cm-0', 'new']))
    const ready = await readyOf(scene)
    assert.deepEqual([ready.status, ready.reason], ['False', 'PruneGuarded'])
    assert.match(
      ready.message,
      /^9 deletions wait for approval \(the build drops 9 of 10 objects\): ConfigMap\/default\/cm-1, /,
    )
    assert.equal((await read('app'))?.status?.lastAppliedRevision, 'main@sha1:2')
    assert.equal(Object.keys(await values()).length, 11)
    assert.equal((await inventory('app')).length, 11)

    const digest = /keelson allow-prune kustomization\/app -n default --digest (sha256:[0-9a-f]{64})$/.exec(
      ready.message,
    )![1]!
    await allow(scene, `sha256:${'0'.repeat(64)}`)
    assert.match((await readyOf(scene)).message, /annotation keelson.dev\/allow-prune names another list, sha256:0000/)
    assert.equal(Object.keys(await values()).length, 11)

    await allow(scene, digest)
    assert.equal((await readyOf(scene)).status, 'True')
    assert.deepEqual(Object.keys(await values()).sort(), ['cm-0', 'new'])
    assert.equal(conditionOf((await read('app'))?.status?.conditions, 'PruneGuarded'), undefined)
  })
})

test('renaming everything waits in every pass, though the inventory holds both by then', async () => {
  await onStage({ settings }, async scene => {
    const { push, kustomize, values } = scene
    await push('1', files(names(12)))
    await kustomize('app', {})
    await push('2', files(names(12).map(name => `${name}-v2`)))
    await push('3', files([...names(12).map(name => `${name}-v2`), 'more']))
    assert.equal((await readyOf(scene)).reason, 'PruneGuarded')
    assert.equal(Object.keys(await values()).length, 25)
    await push('4', files([...names(12), ...names(12).map(name => `${name}-v2`)]))
    assert.equal((await readyOf(scene)).status, 'True')
    assert.equal(Object.keys(await values()).length, 24)
  })
})

test('small changes are pruned as ever, and deleting the unit itself is an order', async () => {
  await onStage({ settings }, async scene => {
    const { push, kustomize, values, hub, settle } = scene
    await push('1', files(names(10)))
    await kustomize('app', {})
    await push('2', files(names(5)))
    assert.equal(Object.keys(await values()).length, 5)
    const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' }
    await hub.delete(ref, {})
    await settle()
    assert.deepEqual(await values(), {})
  })
})

test('an object that asks for it is deleted once that is approved, the others at once', async () => {
  await onStage({ settings }, async scene => {
    const { push, kustomize, values } = scene
    const asking = configMap('asks', '{keelson.dev/prune: confirm}')
    await push('1', { ...files(['a', 'b']), 'asks.yaml': asking })
    await kustomize('app', {})
    await push('2', files(['a']))
    assert.deepEqual(Object.keys(await values()), ['a', 'asks'])
    const { message } = await readyOf(scene)
    assert.match(
      message,
      /^1 deletion waits for approval \(ConfigMap\/default\/asks: annotated with keelson.dev\/prune: confirm\)/,
    )
    await allow(scene, /--digest (sha256:[0-9a-f]{64})/.exec(message)![1]!)
    assert.deepEqual(Object.keys(await values()), ['a'])
    assert.equal((await readyOf(scene)).status, 'True')
  })
})

test('annotations of the unit or its Namespace limit what it prunes, or name kinds that wait; the strictest counts', async () => {
  await onStage({ settings }, async scene => {
    const { push, kustomize, values, hub, settle } = scene
    await hub
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }, { fieldManager: 'someone' })
      .catch(() => {})
    const annotate = async (
      kind: 'Namespace' | 'Kustomization',
      annotations: Readonly<Record<string, string | null>>,
    ) => {
      const ref =
        kind === 'Namespace'
          ? { group: '', kind, namespace: '', name: 'default' }
          : { group: 'kustomize.toolkit.fluxcd.io', kind, namespace: 'default', name: 'app' }
      await hub.patch(ref, { type: 'merge', patch: { metadata: { annotations } } }, { fieldManager: 'someone' })
      await settle()
    }
    await push('1', files(names(8)))
    await kustomize('app', {})
    await annotate('Kustomization', { 'keelson.dev/prune-limit': '3' })
    await annotate('Namespace', { 'keelson.dev/prune-limit': '1' })
    await push('2', files(names(7)))
    assert.equal(Object.keys(await values()).length, 7)
    await push('3', files(names(5)))
    assert.match(
      (await readyOf(scene)).message,
      /^2 deletions wait for approval \(the build drops 2 of 7 objects, more than allowed by Namespace default\)/,
    )
    await push('4', files(names(7)))
    await annotate('Namespace', { 'keelson.dev/prune-limit': null, 'keelson.dev/confirm-prune': 'ConfigMap' })
    await push('5', files(names(6)))
    assert.match((await readyOf(scene)).message, /\(ConfigMap\/default\/cm-6: Namespace default requires approval\)/)
    await push('6', files(names(7)))
    await annotate('Namespace', { 'keelson.dev/confirm-prune': null })
    await annotate('Kustomization', { 'keelson.dev/prune-limit': 'a few' })
    await push('7', files(names(6)))
    assert.match((await readyOf(scene)).message, /"a few" is not a number of objects/)
    assert.equal(Object.keys(await values()).length, 7)
  })
})

const child = (name: string, path: string, more = ''): string =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}, namespace: default${more}}\nspec: {interval: 10m, prune: true, path: ${path}, sourceRef: {kind: GitRepository, name: app}}\n`

test('a unit that a unit drops waits with the many objects that it has applied, unless a new one adopts them', async () => {
  await onStage({ settings: { ...settings, moveWaitMs: 0 } }, async scene => {
    const { push, kustomize, values, read, advance } = scene
    const below = (folder: string, of: readonly string[]) =>
      Object.fromEntries(of.map(name => [`${folder}/${name}.yaml`, configMap(`${folder}-${name}`)]))
    const applied = { ...below('many', names(10)), ...below('few', names(3)) }
    const kept = { 'root/kept.yaml': configMap('kept') }
    const children = { 'root/many.yaml': child('many', './many'), 'root/few.yaml': child('few', './few') }
    await push('1', { ...applied, ...kept, ...children })
    await kustomize('app', { path: './root' })
    await advance(60_000)
    assert.equal(Object.keys(await values()).length, 14)
    await push('2', { ...applied, ...kept })
    await advance(60_000)
    assert.equal(Object.keys(await values()).length, 11, 'three objects are few')
    const { message } = await readyOf(scene)
    assert.match(
      message,
      /\(Kustomization\/default\/many: 10 objects that it has applied would be deleted\): Kustomization\/default\/many; /,
    )
    const renamed = child('renamed', './many', ', annotations: {keelson.dev/adopts: many}')
    await push('3', { ...applied, ...kept, 'root/renamed.yaml': renamed })
    await advance(700_000)
    assert.equal(await read('many'), undefined)
    assert.equal((await readyOf(scene)).status, 'True')
    assert.equal(Object.keys(await values()).length, 11)
  })
})

test('so does a HelmRelease with as many, unless it is suspended: then its deletion uninstalls nothing', async () => {
  const release = (name: string) =>
    `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: ${name}, namespace: default}\nspec: {interval: 10m, suspend: ${name === 'suspended'}, chartRef: {kind: HelmChart, name: app}}\n`
  await onStage({ settings: { ...settings, moveWaitMs: 0 } }, async scene => {
    const { push, kustomize, hub, advance } = scene
    const names = ['many', 'few', 'suspended']
    const kept = { 'kept.yaml': configMap('kept') }
    await push('1', { ...kept, ...Object.fromEntries(names.map(name => [`${name}.yaml`, release(name)])) })
    await kustomize('app', {})
    const ref = (name: string) => ({ group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease', namespace: 'default', name })
    for (const name of names) {
      const entries = Array.from({ length: name === 'few' ? 9 : 10 }, (_, i) => ({
        id: `apps_m-${i}__ConfigMap`,
        v: 'v1',
      }))
      const patch = { status: { inventory: { entries } } }
      await hub.patch(ref(name), { type: 'merge', patch }, { fieldManager: 'helm-controller', subresource: 'status' })
    }
    await push('2', kept)
    await advance(60_000)
    const { message } = await readyOf(scene)
    assert.match(
      message,
      /^1 deletion waits .*HelmRelease\/default\/many: 10 objects that it has applied would be deleted/,
    )
    assert.deepEqual(await Promise.all(names.map(async name => (await hub.get(ref(name))) !== undefined)), [
      true,
      false,
      false,
    ])
  })
})
