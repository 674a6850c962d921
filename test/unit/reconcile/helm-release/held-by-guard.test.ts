import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { author, chartRef, onStage, releaseRef, type Scene } from './scene.ts'

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

test('what waited is forgotten once the chart has it again, so that a small deletion of the same objects goes at once', async () => {
  await onStage({}, async scene => {
    const first = more(many(12))
    await scene.publish('1.0.0', 'app', first)
    await scene.release('a')
    await scene.publish('2.0.0', 'app', more(map('m-0')))
    assert.equal((await stateOf(scene)).ready?.reason, 'PruneGuarded')
    await scene.publish('1.0.0', 'app', first)
    const back = await stateOf(scene)
    assert.deepEqual([back.ready?.status, back.guarded, back.version], ['True', undefined, '1.0.0'])
    await scene.publish('3.0.0', 'app', more(many(11)))
    assert.deepEqual([(await stateOf(scene)).version, await read(scene, 'm-11')], ['3.0.0', undefined])
  })
})

test('what was approved and deleted waits again once the chart has had it again', async () => {
  await onStage({}, async scene => {
    const asks = more(map('asks', '{keelson.dev/prune: confirm}'))
    await scene.publish('1.0.0', 'app', asks)
    await scene.release('a')
    await scene.publish('2.0.0', 'app')
    const digest = digestIn((await stateOf(scene)).ready?.message)
    await annotate(scene, { 'keelson.dev/allow-prune': digest, 'reconcile.fluxcd.io/requestedAt': '1' })
    assert.equal((await stateOf(scene)).version, '2.0.0')
    await scene.publish('3.0.0', 'app', asks)
    await scene.publish('4.0.0', 'app')
    const { ready, version } = await stateOf(scene)
    assert.deepEqual([ready?.reason, version], ['PruneGuarded', '3.0.0'])
  })
})

const rename = async ({ hub, settle }: Scene, releaseName: string | null) => {
  await hub.patch(releaseRef('a'), { type: 'merge', patch: { spec: { releaseName } } }, author)
  await settle()
}

test('a release of many objects that moves waits before its former one is uninstalled, and a small one does not', async () => {
  await onStage({}, async scene => {
    await scene.publish('1.0.0', 'app', more(many(10)))
    await scene.release('a')
    const before = await read(scene, 'm-9')
    await rename(scene, 'b')
    const { ready, guarded } = await stateOf(scene)
    assert.deepEqual([ready?.status, ready?.reason, guarded?.status], ['False', 'PruneGuarded', 'True'])
    assert.match(ready?.message ?? '', /^12 deletions wait for approval \(the build drops 12 of 12 objects\)/)
    await rename(scene, null)
    const back = await stateOf(scene)
    assert.deepEqual([back.ready?.status, back.guarded], ['True', undefined])
    assert.equal((await read(scene, 'm-9'))?.metadata.uid, before?.metadata.uid)

    await rename(scene, 'b')
    const digest = digestIn((await stateOf(scene)).ready?.message)
    await annotate(scene, { 'keelson.dev/allow-prune': digest, 'reconcile.fluxcd.io/requestedAt': '1' })
    const after = await stateOf(scene)
    assert.deepEqual([after.ready?.status, after.guarded], ['True', undefined])
    assert.notEqual((await read(scene, 'm-9'))?.metadata.uid, before?.metadata.uid)
    assert.deepEqual([await read(scene, 'a'), !!(await read(scene, 'b'))], [undefined, true])
  })
  await onStage({}, async scene => {
    await scene.publish('1.0.0', 'app')
    await scene.release('a')
    await rename(scene, 'b')
    assert.deepEqual([(await stateOf(scene)).ready?.status, await read(scene, 'a')], ['True', undefined])
  })
})

test('so does a release that gets another chart, for what asks to be confirmed and is not kept', async () => {
  await onStage({}, async scene => {
    const confirm = 'keelson.dev/prune: confirm'
    const maps = map('asks', `{${confirm}}`) + map('kept', `{${confirm}, helm.sh/resource-policy: keep}`)
    await scene.publish('1.0.0', 'app', more(maps))
    await scene.release('a')
    await scene.publish('1.0.0', 'app', { 'app/Chart.yaml': 'apiVersion: v2\nname: other\nversion: 1.0.0\n' })
    const { ready } = await stateOf(scene)
    assert.match(
      ready?.message ?? '',
      /^1 deletion waits for approval \(ConfigMap\/default\/asks: annotated with .*\): ConfigMap\/default\/asks;/,
    )
    assert.ok(await read(scene, 'a'))
  })
})

test('who has requested the chart may not approve what its upgrade deletes, where changes need approval', async () => {
  await onStage({}, async scene => {
    await scene.publish('1.0.0', 'app', more(many(10)))
    await scene.release('a')
    await annotate(scene, { 'fleet.keelson.dev/approval': 'OutsideWindow' })
    const requested = {
      'keelson.dev/requested-by': 'jane',
      'reconcile.fluxcd.io/requestedAt': '2026-01-01T00:00:00Z',
    }
    await scene.hub.patch(chartRef('app'), { type: 'merge', patch: { metadata: { annotations: requested } } }, author)
    await scene.publish('2.0.0', 'app')
    const approve = async (user: string) => {
      const subject = { kind: 'HelmRelease', name: 'a' }
      const digest = digestIn((await stateOf(scene)).ready?.message)
      const metadata = { name: user, namespace: 'default' }
      await scene.hub.create(
        { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Approval', metadata, spec: { subject, digest } },
        { ...author, user },
      )
      await scene.settle()
      return (await stateOf(scene)).version
    }
    assert.equal(await approve('jane'), '1.0.0')
    assert.equal(await approve('joe'), '2.0.0')
  })
})

test('CL-007 an upgrade that waits for a window is planned, and its plan is applied with the window', async () => {
  await onStage({}, async scene => {
    await scene.publish('1.0.0', 'app')
    await scene.release('a')
    const freeze = [{ action: 'Deny', schedule: '* * * * *', duration: '1h' }]
    await annotate(scene, { 'keelson.dev/windows': JSON.stringify(freeze) })
    await scene.publish('2.0.0', 'app', more(map('m')))
    const plans = async () =>
      (await scene.hub.list<Plan>({ group: 'fleet.keelson.dev', kind: 'Plan', namespace: 'default' })).items
    const [plan] = await plans()
    assert.deepEqual(
      [plan?.status?.phase, plan?.spec.revision, plan?.spec.approvals, (await stateOf(scene)).version],
      ['Scheduled', 'app@2.0.0', undefined, '1.0.0'],
    )
    assert.ok(plan?.changes?.some(({ name, action }) => name === 'm' && action === 'created'))
    await annotate(scene, { 'keelson.dev/windows': null })
    assert.equal((await stateOf(scene)).version, '2.0.0')
    assert.deepEqual(
      (await plans()).map(({ status }) => status?.phase),
      ['Applied'],
    )
    const { status } = (await scene.read('a'))!
    assert.equal(conditionOf(status?.conditions, 'Planned'), undefined)
  })
})
