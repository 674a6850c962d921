import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangePolicy } from '../../../../lib/foundations/kinds/change-policy.ts'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'
import { annotate, clusterWith, conditionsOf, prod, waiting } from './windows-scene.ts'

const group = 'fleet.keelson.dev'

const policy = async (
  { hub }: Scene,
  name: string,
  spec: Partial<ChangePolicy['spec']>,
  annotations: Readonly<Record<string, string>> = {},
) => {
  const metadata = { name, annotations }
  await hub.create({ apiVersion: `${group}/v1alpha1`, kind: 'ChangePolicy', metadata, spec }, author)
}

const atMost = (limit: number, more: object = {}) => ({
  matchConditions: [{ name: 'maps', expression: "request.resource.resource == 'configmaps' && object != null" }],
  validations: [
    {
      expression: `int(object.data.value) <= ${limit}`,
      messageExpression: `'the value ' + object.data.value + ' is more than ${limit}'`,
    },
  ],
  ...more,
})

const planOf = async ({ hub }: Scene): Promise<Plan | undefined> =>
  (await hub.list<Plan>({ group, kind: 'Plan', namespace: 'default' })).items.find(
    ({ status }) => status?.phase === 'Waiting',
  )

const retry = { retryInterval: '1m' }

test('a change that a policy denies is not made, and says why; one that is not against it is made', async () => {
  await onStage({}, async scene => {
    await scene.push('1', { 'a.yaml': configMap('a', '1') })
    await scene.kustomize('app', retry)
    await policy(scene, 'small', atMost(5))
    await scene.push('2', { 'a.yaml': configMap('a', '9'), 'b.yaml': configMap('b', '2') })
    const { ready, status } = await conditionsOf(scene)
    assert.deepEqual(
      [ready?.status, ready?.reason, status?.lastAppliedRevision],
      ['False', 'PolicyDenied', 'main@sha1:1'],
    )
    assert.equal(
      ready?.message,
      'ChangePolicy small denies the change: ConfigMap/default/a (a.yaml): the value 9 is more than 5',
    )
    assert.deepEqual(await scene.values(), { a: '1' })
    await scene.push('3', { 'a.yaml': configMap('a', '5'), 'b.yaml': configMap('b', '2') })
    assert.deepEqual(await scene.values(), { a: '5', b: '2' })
    assert.equal((await conditionsOf(scene)).ready?.status, 'True')
  })
})

test('a policy that is changed or withdrawn wakes the units with a change against one, and no others', async () => {
  await onStage({}, async scene => {
    const ref = { group, kind: 'ChangePolicy', namespace: '', name: 'small' }
    const limit = async (value: number) => {
      await scene.hub.patch(ref, { type: 'merge', patch: { spec: atMost(value) } }, author)
      await scene.settle()
    }
    await policy(scene, 'small', atMost(5))
    await policy(scene, 'reviewed', atMost(10, { action: 'RequireApproval' }))
    await scene.push('1', { 'a/a.yaml': configMap('a', '9'), 'b/b.yaml': configMap('b', '1') })
    await scene.kustomize('app', { path: './a' })
    await scene.kustomize('other', { path: './b' })
    assert.deepEqual(await scene.values(), { b: '1' })
    const { hub, ports } = scene
    const held = () => Array.fromAsync(ports.hub.referrers({ ...ref, name: '*' }), ({ name }) => name)
    assert.deepEqual(await held(), ['app'])
    await limit(9)
    assert.deepEqual(await scene.values(), { a: '9', b: '1' })
    assert.deepEqual(await held(), [])
    await scene.push('2', { 'a/a.yaml': configMap('a', '11'), 'b/b.yaml': configMap('b', '1') })
    await limit(20)
    assert.match((await waiting(scene)) ?? '', /ChangePolicy reviewed/)
    assert.deepEqual(await held(), ['app'])
    await hub.delete({ ...ref, name: 'reviewed' }, {})
    await scene.settle()
    assert.deepEqual(await scene.values(), { a: '11', b: '1' })
  })
})

test('a policy can leave the change to users, with as many as it says, and drift is corrected until they have decided', async () => {
  await onStage({}, async scene => {
    const twoUsers = { 'fleet.keelson.dev/min-approvals': '2' }
    await policy(scene, 'reviewed', atMost(5, { action: 'RequireApproval' }), twoUsers)
    await scene.push('1', { 'a.yaml': configMap('a', '1') })
    await scene.kustomize('app', { interval: '10m' })
    await scene.push('2', { 'a.yaml': configMap('a', '9') })
    const plan = (await planOf(scene))!
    assert.deepEqual([plan.spec.counts, plan.spec.approvals?.count], [{ configured: 1 }, 2])
    assert.match(
      (await waiting(scene)) ?? '',
      /ChangePolicy reviewed \(ConfigMap\/default\/a \(a\.yaml\): the value 9 is more than 5\) requires/,
    )
    const ref = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }
    await scene.hub.patch(ref, { type: 'merge', patch: { data: { value: '4' } } }, { fieldManager: 'edit' })
    await scene.advance(600_000)
    assert.deepEqual(await scene.values(), { a: '1' })
    await scene.advance(600_000) // the plan is that of the corrected value again
    for (const user of ['jane', 'joe']) {
      const { metadata, spec } = (await planOf(scene))!
      const of = { subject: { kind: 'Plan', name: metadata.name }, digest: spec.digest }
      const approval = {
        apiVersion: `${group}/v1alpha1`,
        kind: 'Approval',
        metadata: { name: user, namespace: 'default' },
        spec: of,
      }
      await scene.hub.create(approval, { ...author, user })
      await scene.settle()
    }
    assert.deepEqual(await scene.values(), { a: '9' })
    assert.equal(await waiting(scene), undefined)
  })
})

test('a policy about the plan counts deletions; selectors leave out other Namespaces, units and Clusters', async () => {
  await onStage({ settings: { pruneGuard: false } }, async scene => {
    await clusterWith(scene, {})
    const planValidations = [{ expression: 'plan.deleted == 0', message: 'nothing is to be deleted' }]
    const gold = { matchLabels: { tier: 'gold' } }
    await policy(scene, 'by-namespace', { namespaceSelector: gold, planValidations })
    await policy(scene, 'by-unit', { unitSelector: gold, planValidations })
    await policy(scene, 'by-cluster', { clusterSelector: gold, planValidations })
    await scene.push('1', {
      'a.yaml': configMap('a', '1'),
      'b.yaml': configMap('b', '1'),
      'c.yaml': configMap('c', '1'),
    })
    await scene.kustomize('app', { ...prod, ...retry })
    await scene.push('2', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1') })
    assert.deepEqual(Object.keys(await scene.values()), ['a', 'b'])
    for (const [kind, name, namespace, kindGroup, by] of [
      ['Namespace', 'default', '', '', 'by-namespace'],
      ['Kustomization', 'app', 'default', 'kustomize.toolkit.fluxcd.io', 'by-unit'],
      ['Cluster', 'prod', 'default', group, 'by-cluster'],
    ] as const) {
      const label = (tier: string | null) =>
        scene.hub.patch(
          { group: kindGroup, kind, namespace, name },
          { type: 'merge', patch: { metadata: { labels: { tier } } } },
          author,
        )
      await label('gold')
      await scene.push(`3-${kind}`, { 'a.yaml': configMap('a', '1') })
      assert.equal(
        (await conditionsOf(scene)).ready?.message,
        `ChangePolicy ${by} denies the change: nothing is to be deleted`,
      )
      await label(null)
    }
    await scene.push('4', { 'a.yaml': configMap('a', '1') })
    assert.deepEqual(Object.keys(await scene.values()), ['a'])
  })
})

test('values of a Secret reach no expression and no message, and a policy that fails takes no other unit along', async () => {
  await onStage({}, async scene => {
    const secret =
      'apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: default}\nstringData: {password: hunter2-hunter2}\n'
    await policy(scene, 'broken', {
      unitSelector: { matchLabels: { kustomize: 'secret' } },
      matchConstraints: { resourceRules: [{ resources: ['secrets'], operations: ['CREATE'] }] },
      validations: [
        { expression: "object.data.password == ''" },
        { expression: 'false', messageExpression: 'object.data.password', message: 'no Secrets' },
        { expression: 'object.data.missing == object.data.password' },
      ],
    })
    await scene.push('1', { 'one/s.yaml': secret, 'two/a.yaml': configMap('a', '1') })
    await scene.kustomize('other', { path: './two' })
    await scene.kustomize('app', { path: './one', ...retry })
    await scene.hub.patch(
      { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' },
      { type: 'merge', patch: { metadata: { labels: { kustomize: 'secret' } } } },
      author,
    )
    await annotate(scene, { 'reconcile.fluxcd.io/requestedAt': '1' })
    assert.deepEqual(Object.keys(await scene.values()), ['a'])
    await scene.push('2', { 'one/s.yaml': secret.replace('{name: s,', '{name: t,'), 'two/a.yaml': configMap('a', '2') })
    const message = (await conditionsOf(scene)).ready?.message ?? ''
    assert.match(
      message,
      /^ChangePolicy broken denies the change: Secret\/default\/t .*: no Secrets\n.*validations\[2\]\.expression fails/,
    )
    assert.ok(!message.includes('hunter2'))
    assert.deepEqual(await scene.values(), { a: '2' })
  })
})
