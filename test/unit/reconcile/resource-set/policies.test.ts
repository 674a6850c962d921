import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import { approve, conditionIn, fleet, maps, planOf, values } from './approvals-scene.ts'
import { onStage } from './scene.ts'

const policy = (action: 'Deny' | 'RequireApproval', limit: number) => ({
  apiVersion: `${fleet}/v1alpha1`,
  kind: 'ChangePolicy',
  metadata: { name: 'small' },
  spec: {
    action,
    matchConditions: [{ name: 'maps', expression: "request.resource.resource == 'configmaps' && object != null" }],
    validations: [{ expression: `int(object.data.value) <= ${limit}`, message: 'too much' }],
  },
})

test('what a ResourceSet renders is judged before any of it is applied; a policy that is changed wakes it', async () => {
  await onStage({}, async scene => {
    await scene.create(policy('Deny', 5))
    await scene.apply({ resources: maps('1', '2') })
    assert.deepEqual(await values(scene), { 'cm-0': '1', 'cm-1': '2' })
    await scene.apply({ resources: maps('3', '9') })
    assert.deepEqual(await conditionIn(scene, 'Ready'), {
      ...{ status: 'False', reason: 'PolicyDenied' },
      message: 'reconciliation failed: ChangePolicy small denies the change: ConfigMap/default/cm-1: too much',
    })
    assert.deepEqual(await values(scene), { 'cm-0': '1', 'cm-1': '2' })
    const { spec } = policy('Deny', 10)
    await scene.change({ group: fleet, kind: 'ChangePolicy', namespace: '', name: 'small' }, { spec })
    assert.deepEqual(await values(scene), { 'cm-0': '3', 'cm-1': '9' })
    assert.equal((await conditionIn(scene, 'Ready')).status, 'True')
  })
})

test('a policy leaves it to users: the change is planned with its deletions, and made once it is approved', async () => {
  await onStage({ settings: { pruneGuard: true } }, async scene => {
    await scene.apply({ resources: maps('1', '1', '1', '1', '1', '1', '1', '1', '1', '1', '1') })
    await scene.create(policy('RequireApproval', 5))
    await scene.apply({ resources: maps('7') })
    const plan = (await planOf(scene))!
    assert.deepEqual([plan.spec.unit.kind, plan.spec.summary], ['ResourceSet', '~1 -10'])
    assert.equal((await conditionIn(scene, 'Waiting')).reason, 'ApprovalRequired')
    assert.equal(Object.keys(await values(scene)).length, 11)
    await approve(scene, plan)
    assert.deepEqual(await values(scene), { 'cm-0': '7' }, 'the guard asks for no second approval')
    const [ended] = (await scene.hub.list<Plan>({ group: fleet, kind: 'Plan', namespace: 'default' })).items
    assert.deepEqual([ended?.status?.phase, ended?.status?.approvedBy], ['Applied', ['jane']])
  })
})

test('an object of a later step may need the steps before it: the plan says that it is not known yet', async () => {
  await onStage({}, async scene => {
    await scene.create(policy('RequireApproval', 5))
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' } }
    const steps = [
      { name: 'first', resources: maps('9') },
      { name: 'second', resources: [widget] },
    ]
    await scene.apply({ steps })
    const plan = (await planOf(scene))!
    assert.deepEqual(
      plan.changes?.map(({ kind, action, waitsFor }) => [kind, action, waitsFor]),
      [
        ['ConfigMap', 'created', undefined],
        ['Widget', 'unknown', 'earlier steps'],
      ],
    )
    await approve(scene, plan)
    assert.deepEqual(await values(scene), { 'cm-0': '9' })
    assert.match((await conditionIn(scene, 'Ready')).message ?? '', /step "second": .*no matches for kind "Widget"/)
  })
})
