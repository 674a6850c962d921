/** A runner that demands signatures, against what its hub could say: a hub that is taken over decides nothing there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import { digestOfPlan, signApproval } from '../../../../lib/foundations/rules/approval-statement.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import type { SignatureDemand } from '../../../../lib/reconcile/approvals/signatures.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { bob, demanding, jane, mallory, signedAt } from '../signing.ts'
import { decide, openPlan, phases } from './approvals-scene.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'
import { undo } from './undo-scene.ts'
import { annotate, hour, waiting } from './windows-scene.ts'

const signed = (scene: Scene, plan: Plan, by = jane, cluster = 'ships/aurora') =>
  signedAt(scene.clock.now(), plan, by, cluster)
const approve = (scene: Scene, plan: Plan, by = jane, user = 'jane') =>
  decide(scene, plan, user, { signature: signed(scene, plan, by) })

/** Its unit has applied `a: 1` and `b: 1`, by an approval. */
const withSigned = (story: (scene: Scene, first: Plan) => Promise<void>, demand?: Partial<SignatureDemand>) =>
  onStage({ signatures: demanding(demand) }, async scene => {
    await scene.push('1', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1') })
    await scene.kustomize('app')
    const first = await openPlan(scene)
    for (const by of [jane, bob].slice(0, demand?.count ?? 1))
      await approve(scene, first, by, by === jane ? 'jane' : 'bob')
    assert.deepEqual(await scene.values(), { a: '1', b: '1' })
    await story(scene, first)
  })

const two = { 'a.yaml': configMap('a', '2'), 'b.yaml': configMap('b', '1') }

test('without an annotation each change waits for a signature, and is applied with one', async () => {
  await withSigned(async (scene, first) => {
    assert.deepEqual(
      [first.spec.approvals, await phases(scene)],
      [
        { count: 1, authorMayApprove: true, reason: 'the runner of Cluster ships/aurora', signedFor: 'ships/aurora' },
        ['Applied'],
      ],
    )
    await scene.push('2', two)
    const plan = await openPlan(scene)
    await decide(scene, plan, 'jane')
    assert.match(
      (await waiting(scene)) ?? '',
      /^True ApprovalRequired: revision main@sha1:2 waits for an approval of .*; the approval of jane is not signed; it needs a signature by a key of the runner; run: keelson plans \S+ -n default, which prints the digest to sign$/,
    )
    assert.deepEqual(await scene.values(), { a: '1', b: '1' })
    await approve(scene, plan)
    assert.deepEqual(await scene.values(), { a: '2', b: '1' })
    assert.equal(await waiting(scene), undefined)
  })
})

const refusals: Readonly<
  Record<string, (scene: Scene, plan: Plan, first: Plan) => readonly [ReturnType<typeof signApproval>, RegExp]>
> = {
  'by another key': (scene, plan) => [signed(scene, plan, mallory), /is not signed by a key of the runner/],
  'for another Cluster': (scene, plan) => [
    signed(scene, plan, jane, 'ships/borealis'),
    /is signed for Cluster ships\/borealis/,
  ],
  'of another plan': (scene, _, first) => [signed(scene, first), /is signed for another change/],
  'of a plan that shows something else': (scene, plan) => [
    signed(scene, { ...plan, changes: plan.changes!.map(change => ({ ...change, fields: [] })) }),
    /is signed for another change/,
  ],
  'of another unit': (scene, plan) => [
    signed(scene, { ...plan, spec: { ...plan.spec, unit: { ...plan.spec.unit, name: 'other' } } }),
    /is signed for another unit/,
  ],
  'whose statement was changed': (scene, plan) => {
    const envelope = signed(scene, plan, jane, 'ships/borealis')
    const payload = Buffer.from(envelope.payload, 'base64').toString().replace('borealis', 'aurora')
    return [{ ...envelope, payload: Buffer.from(payload).toString('base64') }, /is not signed by a key of the runner/]
  },
  'of three days ago': (scene, plan) => [
    signApproval(plan, 'ships/aurora', jane.signer, scene.clock.now() - 72 * hour),
    /was signed more than three days ago/,
  ],
  'of tomorrow': (scene, plan) => [
    signApproval(plan, 'ships/aurora', jane.signer, scene.clock.now() + 24 * hour),
    /is not past yet/,
  ],
  'from before a later change': (scene, plan) => [
    signApproval(plan, 'ships/aurora', jane.signer, scene.clock.now() - hour),
    /was signed before that of a later change/,
  ],
}

for (const [title, forge] of Object.entries(refusals))
  test(`a signature ${title} does not count`, async () => {
    await withSigned(async (scene, first) => {
      await scene.push('2', two)
      const plan = await openPlan(scene)
      const [signature, why] = forge(scene, plan, first)
      await decide(scene, plan, 'jane', { signature })
      assert.match((await waiting(scene)) ?? '', why)
      assert.deepEqual(await scene.values(), { a: '1', b: '1' })
    })
  })

test('as many keys must sign as the runner or the annotation demands: neither one key nor one user twice', async () => {
  await withSigned(
    async scene => {
      await scene.push('2', two)
      const plan = await openPlan(scene)
      await approve(scene, plan)
      await approve(scene, plan, jane, 'bob')
      assert.deepEqual(await scene.values(), { a: '1', b: '1' })
      assert.match((await waiting(scene)) ?? '', /waits for an approval/)
      await approve(scene, plan, bob, 'bob')
      assert.deepEqual(await scene.values(), { a: '2', b: '1' })
    },
    { count: 2 },
  )
})

test('a rejection needs no signature', async () => {
  await withSigned(async scene => {
    await scene.push('2', two)
    const plan = await openPlan(scene)
    await decide(scene, plan, 'mallory', { decision: 'Rejected' })
    await approve(scene, plan)
    assert.match((await waiting(scene)) ?? '', /PlanRejected: mallory has rejected/)
    assert.deepEqual(await scene.values(), { a: '1', b: '1' })
  })
})

const unitRef = kustomizationRef('app')
const forgeStatus = (scene: Scene, status: object) =>
  scene.hub.patch(unitRef, { type: 'merge', patch: { status } }, { ...author, subresource: 'status' })

test('that a build was applied before is what the runner has noted, not what the status says', async () => {
  await withSigned(async scene => {
    await scene.push('2', two)
    const plan = await openPlan(scene)
    const { status } = (await scene.read('app'))!
    const history = [
      { ...status!.history![0]!, digest: plan.spec.manifests!, lastReconciledStatus: 'ReconciliationSucceeded' },
    ]
    await forgeStatus(scene, { history, lastAppliedRevision: 'main@sha1:2' })
    await scene.advance(hour)
    assert.deepEqual(await scene.values(), { a: '1', b: '1' })
    assert.match((await waiting(scene)) ?? '', /needs a signature/)
  })
})

test('while a change waits, and while none does, drift is corrected to what was signed last', async () => {
  await withSigned(async scene => {
    const drift = () =>
      scene.hub.patch(
        { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' },
        { type: 'merge', patch: { data: { value: 'drifted' } } },
        author,
      )
    await drift()
    await scene.advance(hour)
    assert.deepEqual(await scene.values(), { a: '1', b: '1' })
    await scene.push('2', two)
    await drift()
    await scene.advance(hour)
    assert.deepEqual(await scene.values(), { a: '1', b: '1' })
    assert.equal((await openPlan(scene)).spec.revision, 'main@sha1:2')
  })
})

test('an undo needs a signature as any other change, whoever has ordered it, and drift is corrected to what was signed last until then', async () => {
  await withSigned(async (scene, first) => {
    await scene.push('2', two)
    const second = await openPlan(scene)
    await approve(scene, second)
    const older = first.spec.manifests!
    for (const text of [older, `${older} ${second.spec.manifests} 1 main@sha1:2`]) {
      await annotate(scene, { [undo]: text })
      await scene.hub.patch(
        { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' },
        { type: 'merge', patch: { data: { value: 'drifted' } } },
        author,
      )
      await scene.advance(hour)
      assert.deepEqual(await scene.values(), { a: '2', b: '1' }, text)
      assert.match((await waiting(scene)) ?? '', /revision main@sha1:1 waits for an approval .* needs a signature/)
      const ready = conditionOf((await scene.read('app'))?.status?.conditions, 'Ready')
      assert.doesNotMatch(ready?.message ?? '', /kept by an undo/)
      // Neither does what was signed when it was applied for the first time.
      await decide(scene, await openPlan(scene), 'jane', { signature: signed(scene, first) })
      assert.deepEqual(await scene.values(), { a: '2', b: '1' })
    }
    await annotate(scene, { [undo]: older })
    await approve(scene, await openPlan(scene))
    assert.deepEqual(await scene.values(), { a: '1', b: '1' })
    assert.equal(await waiting(scene), undefined)
  })
})

test('only objects of a signed plan are deleted: neither what a forged inventory names, nor all of a deleted unit', async () => {
  await withSigned(async scene => {
    const labels = { 'kustomize.toolkit.fluxcd.io/name': 'app', 'kustomize.toolkit.fluxcd.io/namespace': 'default' }
    const kept = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kept', namespace: 'default', labels },
      data: { value: '7' },
    }
    await scene.hub.create(kept, author)
    const { inventory } = (await scene.read('app'))!.status!
    await forgeStatus(scene, {
      inventory: { entries: [...inventory!.entries, { id: 'default_kept__ConfigMap', v: 'v1' }] },
    })
    await scene.advance(hour)
    assert.deepEqual(await scene.values(), { a: '1', b: '1', kept: '7' })
    const { status } = (await scene.read('app'))!
    assert.match(
      conditionOf(status?.conditions, 'Waiting')?.message ?? '',
      /1 deletion waits: the runner deletes only what a signed/,
    )

    await scene.push('2', { 'a.yaml': configMap('a', '1') })
    const plan = await openPlan(scene)
    assert.deepEqual(plan.changes?.map(({ name, action }) => `${name} ${action}`).sort(), ['b deleted', 'kept deleted'])
    await approve(scene, plan)
    assert.deepEqual(await scene.values(), { a: '1' })

    await scene.hub.delete(unitRef, {})
    await scene.settle()
    const last = await openPlan(scene)
    assert.deepEqual([last.spec.revision, last.spec.summary], ['of the deletion', '-1'])
    await decide(scene, last, 'jane')
    assert.deepEqual(await scene.values(), { a: '1' })
    await approve(scene, last)
    assert.deepEqual([await scene.values(), await scene.read('app')], [{}, undefined])
  })
})

test('another spec needs another signature, and to suspend and resume needs none', async () => {
  await withSigned(async scene => {
    const patch = async (spec: object) => {
      await scene.hub.patch(unitRef, { type: 'merge', patch: { spec } }, author)
      await scene.settle()
    }
    await patch({ suspend: true })
    await patch({ suspend: false })
    assert.deepEqual(await phases(scene), ['Applied'])
    await patch({ force: true })
    assert.deepEqual(await phases(scene), ['Applied', 'Waiting'])
    const plan = await openPlan(scene)
    assert.equal(plan.spec.summary, '')
    await approve(scene, plan)
    assert.equal(await waiting(scene), undefined)
  })
})

test('a plan that the hub shows otherwise than it was made is replaced', async () => {
  await withSigned(async scene => {
    await scene.push('2', two)
    const plan = await openPlan(scene)
    const changes = plan.changes!.map(change => ({
      ...change,
      fields: [{ path: 'data.value', before: '1', after: '1' }],
    }))
    await scene.hub.update({ ...plan, changes }, author)
    await approve(scene, { ...plan, changes } as Plan)
    assert.deepEqual([await scene.values(), await phases(scene)], [{ a: '1', b: '1' }, ['Applied', 'Stale', 'Waiting']])
    assert.equal(digestOfPlan(await openPlan(scene)), digestOfPlan(plan))
  })
})
