import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { author, onStage, type Scene } from './scene.ts'

const stateOf = async ({ read }: Scene) => {
  const { status } = (await read('a'))!
  const of = (type: string) => conditionOf(status?.conditions, type)
  const { reason, message = '' } = of('Ready') ?? {}
  return { reason, message, waiting: of('Waiting')?.message ?? '', version: status?.history?.[0]?.chartVersion }
}

const policy = ({ hub }: Scene, spec: object) =>
  hub.create(
    { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'ChangePolicy', metadata: { name: 'versions' }, spec },
    author,
  )

const first = (expression: string) => ({
  matchConstraints: { resourceRules: [{ resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] }] },
  validations: [{ expression, message: 'only the first version' }],
})

test('an upgrade that a policy denies is not made, and one that it leaves to users waits', async () => {
  await onStage({}, async scene => {
    await scene.publish('1.0.0')
    await scene.release('a')
    await policy(scene, first("object.data.version == '1.0.0'"))
    await scene.publish('2.0.0')
    const denied = await stateOf(scene)
    assert.deepEqual([denied.reason, denied.version], ['PolicyDenied', '1.0.0'])
    assert.equal(denied.message, 'ChangePolicy versions denies the change: ConfigMap/default/a: only the first version')
    const ref = { group: 'fleet.keelson.dev', kind: 'ChangePolicy', namespace: '', name: 'versions' }
    await scene.hub.patch(ref, { type: 'merge', patch: { spec: { action: 'RequireApproval' } } }, author)
    await scene.publish('3.0.0')
    const held = await stateOf(scene)
    assert.match(held.waiting, /ChangePolicy versions \(ConfigMap\/default\/a: only the first version\) requires/)
    assert.equal(held.version, '1.0.0')
    await scene.hub.patch(ref, { type: 'merge', patch: { spec: first("object.data.version != '2.0.0'") } }, author)
    await scene.publish('4.0.0')
    assert.deepEqual([(await stateOf(scene)).version, (await stateOf(scene)).waiting], ['4.0.0', ''])
  })
})

test('a chart that can not be rendered fails as the upgrade would, and nothing is released unjudged', async () => {
  await onStage({}, async scene => {
    await scene.publish('1.0.0')
    await scene.release('a')
    await policy(scene, first("object.data.version != '9.0.0'"))
    await scene.publish('2.0.0', 'app', { 'app/templates/broken.yaml': '{{ fail "no good" }}' })
    const { reason, message, version } = await stateOf(scene)
    assert.deepEqual([reason, version], ['UpgradeFailed', '1.0.0'])
    assert.match(message, /^The upgrade can't be planned: .*no good/)
  })
})
