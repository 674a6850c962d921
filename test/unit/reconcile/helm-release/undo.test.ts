import assert from 'node:assert/strict'
import { test } from 'node:test'
import { author, chartRef, onStage, releaseRef, type Scene } from './scene.ts'
import { conditionsIn, contentsOf, historyIn, map, storedIn, undoTo, valuesIn } from './undo-scene.ts'

const minute = 60_000
const ofApp = { chartRef: { kind: 'HelmChart', name: 'app' } } as const

/** A release of two versions; the second has a ConfigMap more. Resolves to the contents of the first. */
const withTwo = async (scene: Scene, spec: Parameters<Scene['release']>[1] = {}): Promise<string> => {
  await scene.publish('1.0.0')
  await scene.release('app', { ...ofApp, ...spec })
  await scene.publish('2.0.0', 'app', { 'app/templates/more.yaml': map('more', '2') })
  assert.deepEqual(await valuesIn(scene), { app: '2.0.0', more: '2' })
  return contentsOf(scene, 1)
}

const patched = async ({ hub, settle }: Scene, patch: object) => {
  await hub.patch(releaseRef('app'), { type: 'merge', patch }, author)
  await settle()
}

test('an undo rolls back to the version with these contents, and shows in the conditions, the history of Helm and the Run; it holds until it is resumed', () =>
  onStage({}, async scene => {
    const first = await withTwo(scene, { driftDetection: { mode: 'enabled' } })
    await undoTo(scene, first)
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
    assert.deepEqual(await historyIn(scene), [
      '1 superseded 1.0.0: Install complete',
      '2 superseded 2.0.0: Upgrade complete',
      '3 deployed 1.0.0: Rollback to 1',
    ])
    const { ready, pinned } = await conditionsIn(scene)
    assert.equal(
      ready,
      'True RollbackSucceeded: Helm rollback of release default/app to chart app@1.0.0 succeeded, kept by an undo of jane',
    )
    assert.equal(
      pinned,
      `True Undone: jane has undone it: chart app@1.0.0 is kept (manifests ${first}); to follow the source again, run: keelson resume helmrelease/app -n default`,
    )
    const undone = (await scene.runs()).filter(({ cause }) => cause.type === 'Undo')
    assert.deepEqual(
      undone.map(({ cause, manifests, revision, previousRevision, result, counts }) => [
        ...[cause.user, manifests, revision, previousRevision, result, counts.deleted],
      ]),
      [['jane', first, '1.0.0', '2.0.0', 'Succeeded', 1]],
    )

    // Drift is corrected to it, and a new version of the chart waits.
    const ref = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'app' }
    await scene.hub.patch(ref, { type: 'merge', patch: { data: { version: 'drifted' } } }, author)
    await scene.publish('3.0.0')
    await scene.advance(11 * minute)
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
    assert.equal((await historyIn(scene)).length, 3)

    await undoTo(scene, null)
    assert.deepEqual(await valuesIn(scene), { app: '3.0.0' })
    const after = await conditionsIn(scene)
    assert.equal(after.pinned, undefined)
    assert.match(after.ready ?? '', /^True UpgradeSucceeded: Helm upgrade succeeded for release default\/app.v4/)
    assert.equal((await historyIn(scene)).at(-1), '4 deployed 3.0.0: Upgrade complete')
  }))

test('runs name the contents of each version, so that one can return to what a run has released', () =>
  onStage({}, async scene => {
    const first = await withTwo(scene)
    const second = await contentsOf(scene, 2)
    const released = (await scene.runs()).filter(({ manifests }) => manifests !== undefined)
    assert.deepEqual(
      released.map(({ manifests, revision }) => [manifests, revision]),
      [
        [first, '1.0.0'],
        [second, '2.0.0'],
      ],
    )
    await undoTo(scene, first)
    await undoTo(scene, second)
    assert.deepEqual(await valuesIn(scene), { app: '2.0.0', more: '2' })
    assert.equal((await historyIn(scene)).at(-1), '4 deployed 2.0.0: Rollback to 2')
    assert.equal(await contentsOf(scene, 4), second)
  }))

test('an undo needs neither the source nor the values of today', () =>
  onStage({}, async scene => {
    const first = await withTwo(scene)
    await patched(scene, { spec: { valuesFrom: [{ kind: 'Secret', name: 'gone' }] } })
    await scene.hub.delete(chartRef('app'), {})
    assert.match((await conditionsIn(scene)).ready ?? '', /^False /)
    await undoTo(scene, first)
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
    assert.match((await conditionsIn(scene)).ready ?? '', /^True RollbackSucceeded/)
  }))

test('what Helm does not keep can not be restored: the pass fails, and the release stays as it is', () =>
  onStage({}, async scene => {
    const first = await withTwo(scene)
    for (const to of [`sha256:${'0'.repeat(64)}`, 'anything']) {
      await undoTo(scene, to)
      const { ready, pinned } = await conditionsIn(scene)
      assert.match(
        ready ?? '',
        /^False UndoFailed: Helm keeps no version with the manifests .* so nothing is released; it keeps default\/app.v2 with chart app@2.0.0 /,
      )
      assert.ok(ready?.includes(`default/app.v1 with chart app@1.0.0 (${first})`))
      assert.match(pinned ?? '', /^True Undone: jane has undone it: manifests .* are to be kept/)
      assert.deepEqual(await valuesIn(scene), { app: '2.0.0', more: '2' })
    }
  }))

test('where Helm keeps two versions, that of the undo is one of them', () =>
  onStage({}, async scene => {
    const first = await withTwo(scene, { maxHistory: 2 })
    await undoTo(scene, first)
    await scene.advance(25 * minute)
    assert.deepEqual(await historyIn(scene), [
      '2 superseded 2.0.0: Upgrade complete',
      '3 deployed 1.0.0: Rollback to 1',
    ])
    assert.match((await conditionsIn(scene)).ready ?? '', /^True RollbackSucceeded/)
  }))

test('after resume the chart is released again, even if its version and the values are those of the undo', () =>
  onStage({}, async scene => {
    await scene.publish('1.0.0')
    await scene.release('app', ofApp)
    const patch = '- op: replace\n  path: /data/version\n  value: patched\n'
    const postRenderers = [{ kustomize: { patches: [{ target: { kind: 'ConfigMap' }, patch }] } }]
    await patched(scene, { spec: { postRenderers } })
    assert.deepEqual(await valuesIn(scene), { app: 'patched' })
    await undoTo(scene, await contentsOf(scene, 1))
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
    await undoTo(scene, null)
    assert.deepEqual(await valuesIn(scene), { app: 'patched' })
    assert.match((await conditionsIn(scene)).ready ?? '', /^True UpgradeSucceeded/)
    await scene.advance(25 * minute)
    assert.equal((await historyIn(scene)).length, 4, 'once')
  }))

test('an upgrade that waits for its objects is ended at once by an undo', () =>
  onStage({}, async scene => {
    await scene.publish('1.0.0')
    await scene.release('app', { ...ofApp, timeout: '1h', upgrade: { remediation: { retries: 3 } } })
    const unready =
      'apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: unready}\nspec: {interval: 1m, url: "https://git.example/x"}\n'
    await scene.publish('2.0.0', 'app', { 'app/templates/unready.yaml': unready })
    assert.match((await conditionsIn(scene)).ready ?? '', /^Unknown Progressing: Running 'upgrade' action/)
    await undoTo(scene, await contentsOf(scene, 1))
    await scene.advance(minute)
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
    const [, failed, last] = await historyIn(scene)
    assert.match(failed ?? '', /^2 failed 2.0.0: /)
    assert.equal(last, '3 deployed 1.0.0: Rollback to 1')
    assert.match((await conditionsIn(scene)).ready ?? '', /^True RollbackSucceeded/)
    await scene.advance(25 * minute)
    assert.equal((await storedIn(scene)).length, 3, 'nothing is remediated or retried')
  }))

test('a rollback that fails is told, and tried again at the interval; nothing else is released in between', () =>
  onStage({}, async scene => {
    await withTwo(scene)
    const refused = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {x: [1]}\n'
    await scene.publish('3.0.0', 'app', { 'app/templates/map.yaml': refused })
    assert.match((await conditionsIn(scene)).ready ?? '', /^False UpgradeFailed/)
    await undoTo(scene, await contentsOf(scene, 3))
    const { ready } = await conditionsIn(scene)
    assert.match(ready ?? '', /^False RollbackFailed: Helm rollback of release default\/app to chart app@3.0.0 failed/)
    const newest = async () => (await storedIn(scene)).at(-1)!.version
    const before = await newest()
    await scene.advance(35 * minute)
    const attempts = (await newest()) - before
    assert.ok(attempts >= 2 && attempts <= 4, `${attempts} attempts in three intervals`)
    assert.ok((await historyIn(scene)).slice(1).every(line => !/Upgrade complete/.test(line)))
    assert.equal((await scene.runs()).at(-1)?.result, 'Failed')
  }))

test('an undo waits for an approval where changes do, by a plan of the rollback with its author', () =>
  onStage({}, async scene => {
    const first = await withTwo(scene)
    await patched(scene, { metadata: { annotations: { 'fleet.keelson.dev/approval': 'Required' } } })
    await undoTo(scene, first)
    const { waiting, pinned } = await conditionsIn(scene)
    assert.match(waiting ?? '', /^True ApprovalRequired: revision app@1.0.0 waits for an approval/)
    assert.match(pinned ?? '', /^True Undone/)
    const plans = await scene.hub.list({ group: 'fleet.keelson.dev', kind: 'Plan', namespace: 'default' })
    const [plan] = plans.items as unknown as readonly {
      readonly spec: { readonly summary: string; readonly author?: string }
    }[]
    assert.deepEqual([plan?.spec.summary, plan?.spec.author], ['~1 -1', 'jane'])
    assert.deepEqual(await valuesIn(scene), { app: '2.0.0', more: '2' })
    await patched(scene, { metadata: { annotations: { 'fleet.keelson.dev/approval': null } } })
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
  }))

test('the guard holds back an undo that deletes much', () =>
  onStage({}, async scene => {
    await scene.publish('1.0.0')
    await scene.release('app', ofApp)
    const many = Array.from({ length: 15 }, (_, at) => [`app/templates/m${at}.yaml`, map(`m${at}`, '1')])
    await scene.publish('2.0.0', 'app', Object.fromEntries(many))
    await undoTo(scene, await contentsOf(scene, 1))
    assert.match((await conditionsIn(scene)).ready ?? '', /^False PruneGuarded: 15 deletions wait for approval/)
    assert.equal((await historyIn(scene)).length, 2, 'nothing of the rollback has begun')
  }))

test('a policy judges what an undo would apply', () =>
  onStage({}, async scene => {
    const first = await withTwo(scene)
    const spec = {
      matchConstraints: { resourceRules: [{ resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] }] },
      validations: [{ expression: "object.data.version != '1.0.0'", message: 'it had a hole' }],
    }
    const policy = { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'ChangePolicy', metadata: { name: 'p' }, spec }
    await scene.hub.create(policy, author)
    await undoTo(scene, first)
    assert.match(
      (await conditionsIn(scene)).ready ?? '',
      /^False PolicyDenied: ChangePolicy p denies the change: ConfigMap\/default\/app: it had a hole/,
    )
    assert.deepEqual(await valuesIn(scene), { app: '2.0.0', more: '2' })
  }))

test('after an undo, an unchanged release costs no pass', () =>
  onStage({}, async scene => {
    await undoTo(scene, await withTwo(scene, { driftDetection: { mode: 'enabled' } }))
    await scene.advance(15 * minute)
    const [before, passes] = [(await scene.read('app'))?.metadata.resourceVersion, scene.passes.length]
    await scene.advance(35 * minute)
    assert.deepEqual([(await scene.read('app'))?.metadata.resourceVersion, scene.passes.length], [before, passes])
  }))

test('on-failure is refused where the fields of Flux say it', () =>
  onStage({}, async scene => {
    await scene.publish('1.0.0')
    await scene.release('app', ofApp)
    await assert.rejects(
      patched(scene, { metadata: { annotations: { 'keelson.dev/on-failure': 'undo' } } }),
      /metadata.annotations\[keelson.dev\/on-failure\]: Invalid value: "undo": a HelmRelease goes back by itself with spec.upgrade.remediation.remediateLastFailure: true/,
    )
  }))
