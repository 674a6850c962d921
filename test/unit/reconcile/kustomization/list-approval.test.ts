import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'
import { annotate } from './windows-scene.ts'

const settings = { pruneGuard: true }
const files = { 'README.md': '', 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1') }

const readyOf = async ({ read }: Scene) => conditionOf((await read('app'))?.status?.conditions, 'Ready')!

/** A unit whose build has become empty. Resolves to the digest of what waits. */
const withHeld = async (scene: Scene, annotations: Readonly<Record<string, string>> = {}): Promise<string> => {
  await scene.push('1', files)
  await scene.kustomize('app', {})
  await annotate(scene, annotations)
  await scene.push('2', { 'README.md': '' })
  const { reason, message } = await readyOf(scene)
  assert.equal(reason, 'PruneGuarded')
  return /--digest (sha256:[0-9a-f]{64})$/.exec(message)![1]!
}

const decide = async (scene: Scene, user: string, digest: string, decision = 'Approved') => {
  await scene.hub.create(
    {
      apiVersion: 'fleet.keelson.dev/v1alpha1',
      kind: 'Approval',
      metadata: { generateName: 'approval-', name: '', namespace: 'default' },
      spec: { subject: { kind: 'Kustomization', name: 'app' }, digest, decision, comment: 'CHG-1' },
    },
    { ...author, user },
  )
  await scene.settle()
}

test('an Approval of what waits is acted upon at once, and counts for that one time', async () => {
  await onStage({ settings }, async scene => {
    const digest = await withHeld(scene)
    await decide(scene, 'jane', `sha256:${'0'.repeat(64)}`)
    assert.deepEqual(Object.keys(await scene.values()), ['a', 'b'])
    await decide(scene, 'jane', digest)
    assert.deepEqual(await scene.values(), {})
    assert.equal((await readyOf(scene)).status, 'True')
    await scene.push('3', files)
    await scene.push('4', { 'README.md': '' })
    assert.equal((await readyOf(scene)).reason, 'PruneGuarded')
    assert.deepEqual(Object.keys(await scene.values()), ['a', 'b'])
  })
})

test('a rejected list stays, also by the annotation, and says who has rejected it', async () => {
  await onStage({ settings }, async scene => {
    const digest = await withHeld(scene)
    await decide(scene, 'joe', digest, 'Rejected')
    const allowed = { 'keelson.dev/allow-prune': digest, 'reconcile.fluxcd.io/requestedAt': '1' }
    await annotate(scene, allowed)
    assert.match(
      (await readyOf(scene)).message,
      /; joe has rejected this list \(CHG-1\); to delete it after all, they run: keelson approve kustomization\/app -n default --digest sha256:\w+$/,
    )
    assert.deepEqual(Object.keys(await scene.values()), ['a', 'b'])
  })
})

test('a unit whose changes two users must approve needs both for such a list, too', async () => {
  await onStage({ settings }, async scene => {
    // In windows, such a unit needs no plan.
    const policy = { 'fleet.keelson.dev/approval': 'OutsideWindow', 'fleet.keelson.dev/min-approvals': '2' }
    const digest = await withHeld(scene, policy)
    assert.match((await readyOf(scene)).message, /; to delete exactly these, 2 users run: keelson approve /)
    await annotate(scene, { 'keelson.dev/allow-prune': digest, 'reconcile.fluxcd.io/requestedAt': '1' })
    await decide(scene, 'jane', digest)
    await decide(scene, 'jane', digest)
    assert.match(
      (await readyOf(scene)).message,
      /; jane approved; to delete exactly these, a user runs: keelson approve /,
    )
    assert.deepEqual(Object.keys(await scene.values()), ['a', 'b'])
    await decide(scene, 'joe', digest)
    assert.deepEqual(await scene.values(), {})
  })
})
