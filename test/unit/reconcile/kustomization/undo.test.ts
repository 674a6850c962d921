import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectKept } from '../../../../lib/reconcile/kept-builds/collect-kept.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'
import { digestOf, pinnedOf, undo, undoTo } from './undo-scene.ts'
import { annotate, conditionsOf, waiting } from './windows-scene.ts'

/** A unit that has applied two revisions. */
const withTwo = async (scene: Scene): Promise<string> => {
  await scene.push('1', { 'a.yaml': configMap('a', '1') })
  await scene.kustomize('app')
  const first = await digestOf(scene)
  await scene.push('2', { 'a.yaml': configMap('a', '2'), 'b.yaml': configMap('b', '1') })
  return first
}

test('an undo applies the stored manifests, prunes the rest, and shows in the conditions and the Run; drift is corrected to them', async () => {
  await onStage({}, async scene => {
    const first = await withTwo(scene)
    assert.deepEqual(await scene.values(), { a: '2', b: '1' })
    await undoTo(scene, first)
    assert.deepEqual(await scene.values(), { a: '1' })
    const { ready, status } = await conditionsOf(scene)
    assert.deepEqual(
      [ready?.status, ready?.message, status?.lastAppliedRevision],
      ['True', 'Applied revision: main@sha1:1, kept by an undo of jane', 'main@sha1:1'],
    )
    assert.equal(
      await pinnedOf(scene),
      `True Undone: jane has undone it: revision main@sha1:1 is kept (manifests ${first}); to follow the source again, run: keelson resume kustomization/app -n default`,
    )
    const ref = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }
    await scene.hub.patch(ref, { type: 'merge', patch: { data: { value: 'drifted' } } }, author)
    await scene.advance(11 * 60_000)
    assert.deepEqual(await scene.values(), { a: '1' })

    // A newer revision waits, until the undo ends.
    await scene.push('3', { 'a.yaml': configMap('a', '3') })
    assert.deepEqual(await scene.values(), { a: '1' })
    await annotate(scene, { [undo]: null })
    assert.deepEqual(await scene.values(), { a: '3' })
    assert.equal(await pinnedOf(scene), undefined)
    assert.equal((await conditionsOf(scene)).ready?.message, 'Applied revision: main@sha1:3')
  })
})

test('runs name the manifests, and who has undone', async () => {
  await onStage({}, async scene => {
    const first = await withTwo(scene)
    await undoTo(scene, first)
    const runs = await scene.runs()
    const undone = runs.filter(({ cause }) => cause.type === 'Undo')
    assert.deepEqual(
      undone.map(({ cause, manifests, revision, previousRevision, result }) => [
        cause.user,
        manifests,
        revision,
        previousRevision,
        result,
      ]),
      [['jane', first, 'main@sha1:1', 'main@sha1:2', 'Succeeded']],
    )
    assert.equal(runs.filter(({ manifests }) => manifests === first).length, 2, 'the first run has the same digest')
  })
})

test('what is not kept can not be applied: the pass fails, and the cluster stays as it is', async () => {
  await onStage({}, async scene => {
    await withTwo(scene)
    for (const to of [`sha256:${'0'.repeat(64)}`, 'anything', '../../secret']) {
      await undoTo(scene, to)
      const { ready } = await conditionsOf(scene)
      assert.deepEqual([ready?.status, ready?.reason], ['False', 'UndoFailed'])
      assert.match(
        ready?.message ?? '',
        /are not kept, so nothing is applied; kept are: main@sha1:2 \(sha256:\w+\), main@sha1:1 /,
      )
      assert.deepEqual(await scene.values(), { a: '2', b: '1' })
    }
  })
})

test('manifests that somebody has put into the place of what is kept are not applied: neither those of another unit nor others', async () => {
  await onStage({}, async scene => {
    const { artifacts } = scene.platform
    await scene.push('1', { 'one/a.yaml': configMap('a', '1'), 'two/b.yaml': configMap('b', '1') })
    await scene.kustomize('app', { path: './one' })
    await scene.kustomize('other', { path: './two' })
    const foreign = (await scene.read('other'))!.status!.history![0]!.digest
    const [app, other] = await Promise.all(['app', 'other'].map(async name => (await scene.read(name))!.metadata.uid))
    const nameOf = (uid: string | undefined) => `kept/default/${uid}/${foreign.slice('sha256:'.length)}`
    const sealed = (await artifacts.get(nameOf(other)))!
    for (const forged of [sealed, Buffer.from(JSON.stringify({ objects: [] }))]) {
      await artifacts.put(nameOf(app), forged)
      await undoTo(scene, foreign)
      const { ready } = await conditionsOf(scene)
      assert.deepEqual([ready?.status, ready?.reason], ['False', 'UndoFailed'])
      assert.deepEqual(await scene.values(), { a: '1', b: '1' })
    }
  })
})

test('manifests of another unit can not be applied by their digest', async () => {
  await onStage({}, async scene => {
    await scene.push('1', { 'one/a.yaml': configMap('a', '1'), 'two/b.yaml': configMap('b', '1') })
    await scene.kustomize('app', { path: './one' })
    await scene.kustomize('other', { path: './two' })
    const foreign = (await scene.read('other'))!.status!.history![0]!.digest
    await undoTo(scene, foreign)
    assert.equal((await conditionsOf(scene)).ready?.reason, 'UndoFailed')
  })
})

test('as many builds are kept as settings say, for as long as they say; a deleted unit leaves none', async () => {
  const day = 24 * 60 * 60_000
  await onStage({ settings: { undoLimit: 2, undoTtlMs: 3 * day } }, async scene => {
    const kept = async () => (await Array.fromAsync(scene.platform.artifacts.list('kept/'))).length
    await scene.push('1', { 'a.yaml': configMap('a', '1') })
    await scene.kustomize('app')
    for (const at of [2, 3, 4, 5]) {
      await scene.push(String(at), { 'a.yaml': configMap('a', String(at)) })
      assert.equal(await kept(), Math.min(at, 3))
    }
    await scene.advance(4 * day)
    await scene.push('6', { 'a.yaml': configMap('a', '6') })
    assert.equal(await kept(), 2, 'that which was replaced now, and that which replaces it')
    await scene.hub.delete(kustomizationRef('app'), {})
    await scene.settle()
    assert.equal(await kept(), 0)
  })
})

test('housekeeping deletes what was replaced for too long, and what no unit keeps; never what is applied', async () => {
  const day = 24 * 60 * 60_000
  await onStage({}, async scene => {
    const { artifacts, objects, clock } = scene.platform
    await withTwo(scene)
    await artifacts.put('kept/default/0a/00', Buffer.from('of a unit that is gone'))
    const stored = async () => (await Array.fromAsync(artifacts.list('kept/'))).map(({ name }) => name)
    assert.equal((await stored()).length, 3)
    const collect = (at: number) => collectKept({ artifacts, objects }, { count: 10, ttlMs: 90 * day }, at)
    await collect(clock.now() + 89 * day)
    assert.equal((await stored()).length, 3)
    await collect(clock.now() + 91 * day)
    const current = (await digestOf(scene)).replace('sha256:', '')
    assert.deepEqual(
      (await stored()).map(name => name.split('/').at(-1)),
      [current],
    )
  })
})

test('with a limit of 0, nothing is kept', async () => {
  await onStage({ settings: { undoLimit: 0 } }, async scene => {
    const first = await withTwo(scene)
    assert.deepEqual(await Array.fromAsync(scene.platform.artifacts.list('kept/')), [])
    await undoTo(scene, first)
    assert.equal((await conditionsOf(scene)).ready?.reason, 'UndoFailed')
  })
})

test('stored manifests are sealed, and undone to even if they have values of Secrets', async () => {
  await onStage({}, async scene => {
    const secret = (value: string) => `apiVersion: v1
kind: Secret
metadata: {name: s, namespace: default}
stringData: {password: ${value}}
`
    await scene.push('1', { 's.yaml': secret('the-first-password') })
    await scene.kustomize('app')
    const first = await digestOf(scene)
    const read = async () => {
      const ref = { group: '', kind: 'Secret', namespace: 'default', name: 's' }
      const found = (await scene.hub.get(ref)) as { data?: { password?: string } } | undefined
      return Buffer.from(found?.data?.password ?? '', 'base64').toString()
    }
    await scene.push('2', { 's.yaml': secret('the-second-password') })
    assert.equal(await read(), 'the-second-password')
    for await (const { name } of scene.platform.artifacts.list('kept/')) {
      const bytes = Buffer.from((await scene.platform.artifacts.get(name))!)
      assert.ok(!bytes.includes('password'), name)
      assert.throws(() => JSON.parse(bytes.toString()))
    }
    await undoTo(scene, first)
    assert.equal(await read(), 'the-first-password')
    const runs = await scene.runs()
    assert.ok(!JSON.stringify(runs).includes('-password'))
  })
})

test('the guard holds what an undo would delete, as for any change', async () => {
  await onStage({ settings: { pruneGuard: true } }, async scene => {
    await scene.push('1', { 'a.yaml': configMap('a', '1') })
    await scene.kustomize('app')
    const first = await digestOf(scene)
    const many = Array.from({ length: 20 }, (_, at) => [`m${at}.yaml`, configMap(`m${at}`, '1')] as const)
    await scene.push('2', { 'a.yaml': configMap('a', '2'), ...Object.fromEntries(many) })
    await undoTo(scene, first)
    const { ready } = await conditionsOf(scene)
    assert.deepEqual([ready?.status, ready?.reason], ['False', 'PruneGuarded'])
    const values = await scene.values()
    assert.deepEqual([values.a, Object.keys(values).length], ['1', 21])
  })
})

test('an undo needs an approval where changes do, and so does what follows it', async () => {
  await onStage({}, async scene => {
    const first = await withTwo(scene)
    await annotate(scene, { 'fleet.keelson.dev/approval': 'Required' })
    await undoTo(scene, first)
    assert.match((await waiting(scene)) ?? '', /^True ApprovalRequired: revision main@sha1:1 waits for an approval/)
    assert.match((await pinnedOf(scene)) ?? '', /^True Undone/)
    assert.deepEqual(await scene.values(), { a: '2', b: '1' })
    await annotate(scene, { 'fleet.keelson.dev/approval': null })
    assert.deepEqual(await scene.values(), { a: '1' })
    await annotate(scene, { 'fleet.keelson.dev/approval': 'Required' })
    await annotate(scene, { [undo]: null })
    assert.match((await waiting(scene)) ?? '', /^True ApprovalRequired: revision main@sha1:2 waits/)
    assert.deepEqual(await scene.values(), { a: '1' })
  })
})

test('a policy judges what an undo would apply, as it judges a new build', async () => {
  await onStage({}, async scene => {
    const first = await withTwo(scene)
    const spec = {
      matchConstraints: { resourceRules: [{ resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] }] },
      validations: [{ expression: "object.data.value != '1'", message: 'it had a hole' }],
    }
    const policy = { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'ChangePolicy', metadata: { name: 'p' }, spec }
    await scene.hub.create(policy, author)
    await undoTo(scene, first)
    const { ready } = await conditionsOf(scene)
    assert.deepEqual([ready?.status, ready?.reason], ['False', 'PolicyDenied'])
    assert.match(ready?.message ?? '', /ConfigMap\/default\/a \(a\.yaml\): it had a hole/)
    assert.deepEqual(await scene.values(), { a: '2', b: '1' })
  })
})

test('an undo says why, and that the Rollout which holds the unit leaves it alone until it is resumed', async () => {
  await onStage({}, async scene => {
    const first = await withTwo(scene)
    await annotate(scene, {
      'keelson.dev/pin': 'default/web-7@2026-11-28T00:00:00.000Z',
      ...{ [undo]: first, 'keelson.dev/undone-for': 'incident 4711' },
    })
    assert.deepEqual(await scene.values(), { a: '1' })
    assert.match(
      (await pinnedOf(scene)) ?? '',
      /has undone it \(incident 4711\): .*; RolloutRun default\/web-7 leaves it alone until then; to follow the source again, run: /,
    )
  })
})

test('after an undo, an unchanged cluster costs no write but the due time', async () => {
  await onStage({}, async scene => {
    await undoTo(scene, await withTwo(scene))
    const before = (await scene.read('app'))?.metadata.resourceVersion
    await scene.advance(35 * 60_000)
    assert.equal((await scene.read('app'))?.metadata.resourceVersion, before)
  })
})
