import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { author, onStage, releaseRef, type Scene } from './scene.ts'

const map = (name: string, annotations = '{}') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, annotations: ${annotations}}\n---\n`
const many = (count: number, prefix = 'm') =>
  Array.from({ length: count }, (_, index) => map(`${prefix}-${index}`)).join('')
const more = (text: string) => ({ 'app/templates/more.yaml': text })

const read = ({ hub }: Scene, name: string) =>
  hub.get<KubernetesObject>({ group: '', kind: 'ConfigMap', namespace: 'default', name })

const stateOf = async ({ read }: Scene) => {
  const { status } = (await read('a'))!
  const of = (type: string) => conditionOf(status?.conditions, type)
  return { ready: of('Ready'), guarded: of('PruneGuarded'), version: status?.history?.[0]?.chartVersion }
}

const annotate = async ({ hub, settle }: Scene, annotations: object) => {
  await hub.patch(releaseRef('a'), { type: 'merge', patch: { metadata: { annotations } } }, author)
  await settle()
}

const digestIn = (message: string | undefined) => /--digest (sha256:[0-9a-f]{64})$/.exec(message ?? '')![1]!

test('an upgrade that drops most of ten objects waits as a whole until that list is allowed', async () => {
  await onStage({}, async scene => {
    await scene.publish('1.0.0', 'app', more(many(10)))
    await scene.release('a')
    await scene.publish('2.0.0', 'app', more(map('m-0')))
    const { ready, guarded, version } = await stateOf(scene)
    assert.deepEqual(
      [ready?.status, ready?.reason, guarded?.status, version],
      ['False', 'PruneGuarded', 'True', '1.0.0'],
    )
    assert.match(
      ready?.message ?? '',
      /^9 deletions wait for approval \(the build drops 9 of 12 objects\): ConfigMap\/default\/m-1, .*; to delete exactly these, run: keelson allow-prune helmrelease\/a -n default --digest /,
    )
    assert.ok(await read(scene, 'm-9'))
    await scene.advance(3_600_000)
    assert.equal((await stateOf(scene)).version, '1.0.0')
    await annotate(scene, {
      'keelson.dev/allow-prune': digestIn(ready?.message),
      'reconcile.fluxcd.io/requestedAt': '1',
    })
    const after = await stateOf(scene)
    assert.deepEqual([after.ready?.status, after.guarded, after.version], ['True', undefined, '2.0.0'])
    assert.equal(await read(scene, 'm-9'), undefined)
  })
})

test('an Approval lets an upgrade go on, and a chart that has the objects again ends the wait', async () => {
  await onStage({}, async scene => {
    await scene.publish('1.0.0', 'app', more(map('asks', '{keelson.dev/prune: confirm}')))
    await scene.release('a')
    await scene.publish('2.0.0', 'app')
    const { ready } = await stateOf(scene)
    assert.match(ready?.message ?? '', /\(ConfigMap\/default\/asks: annotated with keelson.dev\/prune: confirm\)/)
    await scene.publish('3.0.0', 'app', more(map('asks', '{keelson.dev/prune: confirm}')))
    const back = await stateOf(scene)
    assert.deepEqual([back.ready?.status, back.guarded, back.version], ['True', undefined, '3.0.0'])
    await scene.publish('4.0.0', 'app')
    await scene.hub.create(
      {
        apiVersion: 'fleet.keelson.dev/v1alpha1',
        kind: 'Approval',
        metadata: { name: 'mine', namespace: 'default' },
        spec: { subject: { kind: 'HelmRelease', name: 'a' }, digest: digestIn((await stateOf(scene)).ready?.message) },
      },
      { ...author, user: 'jane' },
    )
    await scene.settle()
    assert.deepEqual([(await stateOf(scene)).version, await read(scene, 'asks')], ['4.0.0', undefined])
  })
})

test('what Helm keeps is not in the list, few objects go at once, and with the guard off all do', async () => {
  const kept = '{helm.sh/resource-policy: keep, keelson.dev/prune: confirm}'
  await onStage({}, async scene => {
    await scene.publish('1.0.0', 'app', more(map('kept', kept) + many(3)))
    await scene.release('a')
    await scene.publish('2.0.0', 'app')
    assert.equal((await stateOf(scene)).version, '2.0.0')
    assert.ok(await read(scene, 'kept'))
    assert.equal(await read(scene, 'm-0'), undefined)
  })
  await onStage({ settings: { pruneGuard: false } }, async scene => {
    await scene.publish('1.0.0', 'app', more(many(10)))
    await scene.release('a')
    await scene.publish('2.0.0', 'app')
    assert.equal((await stateOf(scene)).version, '2.0.0')
  })
})

test('deletions in a plan that was approved need no other approval', async () => {
  await onStage({}, async scene => {
    await scene.publish('1.0.0', 'app', more(many(10)))
    await scene.release('a')
    await annotate(scene, { 'fleet.keelson.dev/approval': 'Required' })
    await scene.publish('2.0.0', 'app')
    const [plan] = (await scene.hub.list<Plan>({ group: 'fleet.keelson.dev', kind: 'Plan', namespace: 'default' }))
      .items
    assert.equal(plan?.spec.counts?.deleted, 10)
    await scene.hub.create(
      {
        apiVersion: 'fleet.keelson.dev/v1alpha1',
        kind: 'Approval',
        metadata: { name: 'mine', namespace: 'default' },
        spec: { subject: { kind: 'Plan', name: plan.metadata.name }, digest: plan.spec.digest },
      },
      { ...author, user: 'jane' },
    )
    await scene.settle()
    const { ready, guarded, version } = await stateOf(scene)
    assert.deepEqual([ready?.status, guarded, version], ['True', undefined, '2.0.0'])
  })
})
