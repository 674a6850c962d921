/** HelmReleases of a runner that demands signatures, against what its hub could say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import type { ReleaseStorage } from '../../../../lib/clusters/helm-release/storage.ts'
import type { HelmReleaseSpec } from '../../../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import { contentsToSign, storageOnlyFor } from '../../../../lib/reconcile/helm-release/signed-release.ts'
import { unitMemory } from '../../../../lib/reconcile/runtime/unit-memory.ts'
import { bob, demanding, jane, mallory, signedAt } from '../signing.ts'
import { author, onStage, releaseRef, type Scene } from './scene.ts'
import { conditionsIn, contentsOf, historyIn, map, undoTo, valuesIn } from './undo-scene.ts'

const hour = 3_600_000
const minute = 60_000

const openPlan = async ({ hub, ...scene }: Scene): Promise<Plan> => {
  const { items } = await hub.list<Plan>({ group: 'fleet.keelson.dev', kind: 'Plan', namespace: 'default' })
  const found = items.find(({ status }) => ['Waiting', 'Approved'].includes(status?.phase ?? ''))
  assert.ok(found, JSON.stringify(await conditionsIn({ hub, ...scene })))
  return found
}
const decide = async ({ hub, settle }: Scene, { metadata, spec }: Plan, signature?: object) => {
  const approval = {
    ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Approval' },
    metadata: { generateName: 'approval-', name: '', namespace: 'default' },
    spec: { subject: { kind: 'Plan', name: metadata.name }, digest: spec.digest, ...(signature && { signature }) },
  }
  await hub.create(approval as KubernetesObject, { ...author, user: 'jane' })
  await settle()
}
const sign = async (scene: Scene, plan?: Plan) => {
  const signed = plan ?? (await openPlan(scene))
  await decide(scene, signed, signedAt(scene.clock.now(), signed))
}
const shownIn = ({ changes = [] }: Plan) => changes.map(({ kind, name, action }) => `${kind}/${name} ${action}`)
const patch = async ({ hub, settle }: Scene, spec: object) => {
  await hub.patch(releaseRef('app'), { type: 'merge', patch: { spec } }, author)
  await settle()
}
const forgeStatus = (scene: Scene, status: object) =>
  scene.hub.patch(releaseRef('app'), { type: 'merge', patch: { status } }, { ...author, subresource: 'status' })
const driftTo = ({ hub }: Scene, version: string) =>
  hub.patch(
    { group: '', kind: 'ConfigMap', namespace: 'default', name: 'app' },
    { type: 'merge', patch: { data: { version } } },
    author,
  )
const waitsFor = async (scene: Scene, why: RegExp) => assert.match((await conditionsIn(scene)).waiting ?? '', why)

const hook = (text: string) => ({
  'app/templates/hook.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hook, annotations: {helm.sh/hook: "pre-upgrade,pre-delete"}}\ndata: {text: "${text}"}\n`,
})
/** Nothing reconciles it here, so it is never ready. */
const unready = {
  'app/templates/unready.yaml':
    'apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: unready}\nspec: {interval: 1m, url: "https://git.example/x"}\n',
}

/** The release `app` of version 1.0.0 is installed, by an approval. */
const withSigned = (
  spec: Partial<HelmReleaseSpec>,
  story: (scene: Scene, first: Plan) => Promise<void>,
  cluster?: (hub: ClusterClient) => ClusterClient,
) =>
  onStage({ signatures: demanding(), ...(cluster && { cluster }) }, async scene => {
    await scene.publish('1.0.0')
    await scene.release('app', { chartRef: { kind: 'HelmChart', name: 'app' }, ...spec })
    assert.deepEqual(await valuesIn(scene), {})
    const first = await openPlan(scene)
    await sign(scene, first)
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
    await story(scene, first)
  })

test('an upgrade waits for a signature of what its plan shows: new objects in full, and hooks', async () => {
  await withSigned({}, async (scene, first) => {
    assert.deepEqual(shownIn(first).sort(), ['ConfigMap/app created', 'ServiceAccount/app created'])
    const { fields = [] } = first.changes!.find(({ kind }) => kind === 'ConfigMap')!
    assert.ok(
      fields.some(({ path, after }) => path === 'data.greeting' && after === 'hello'),
      JSON.stringify(fields),
    )
    await scene.publish('2.0.0', 'app', hook('hello'))
    const plan = await openPlan(scene)
    assert.deepEqual(shownIn(plan), ['ConfigMap/app configured', 'ConfigMap/hook created'])
    const shown = plan.changes!.find(({ name }) => name === 'hook')!
    assert.equal(shown.origin, 'app/templates/hook.yaml, a hook: pre-upgrade, pre-delete')
    assert.ok(shown.fields?.some(({ path, after }) => path === 'data.text' && after === 'hello'))
    const now = scene.clock.now()
    const refused: readonly (readonly [object | undefined, RegExp])[] = [
      [undefined, /the approval of jane is not signed/],
      [signedAt(now, plan, mallory), /is not signed by a key of the runner/],
      [signedAt(now, first), /is signed for another change/],
      [signedAt(now, plan, jane, 'ships/borealis'), /is signed for Cluster ships\/borealis/],
      [signedAt(now - hour, plan, bob), /was signed before that of a later change/],
      [signedAt(now, { ...plan, changes: plan.changes!.slice(0, 1) }), /is signed for another change/],
    ]
    for (const [signature, why] of refused) {
      await decide(scene, plan, signature)
      await waitsFor(scene, why)
      assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
    }
    await sign(scene, plan)
    assert.deepEqual(await valuesIn(scene), { app: '2.0.0' })
    assert.equal((await conditionsIn(scene)).waiting, undefined)
  })
})

test('a chart of the same version, a hook or values that a hub changes after the approval are another change', async () => {
  await withSigned({}, async scene => {
    await scene.publish('2.0.0', 'app', hook('hello'))
    const plan = await openPlan(scene)
    const changed = [
      () => scene.publish('2.0.0', 'app', hook('evil')),
      () => scene.publish('2.0.0', 'app', { ...hook('hello'), 'app/templates/more.yaml': map('more', '1') }),
      () => patch(scene, { values: { greeting: 'evil' } }),
      () => patch(scene, { postRenderers: [{ kustomize: { images: [{ name: 'a', newName: 'evil' }] } }] }),
    ]
    for (const change of changed) {
      await change()
      await decide(scene, plan, signedAt(scene.clock.now(), plan))
      await scene.advance(10 * minute)
      assert.deepEqual(await valuesIn(scene), { app: '1.0.0' }, String(change))
    }
  })
})

test('a chart that renders something else each time is never released', async () => {
  await onStage({ signatures: demanding() }, async scene => {
    await scene.publish('1.0.0', 'app', { 'app/templates/random.yaml': map('random', '{{ randAlphaNum 20 }}') })
    await scene.release('app')
    for (let times = 0; times < 3; times++) await sign(scene)
    assert.deepEqual(await valuesIn(scene), {})
  })
  const release = { name: 'app', version: 1, info: { status: 'pending-install' as const }, manifest: map('a', '1') }
  const created: unknown[] = []
  const storage = { create: async (made: unknown) => void created.push(made) } as unknown as ReleaseStorage
  const only = storageOnlyFor(storage, contentsToSign(release))
  await assert.rejects(only.create({ ...release, manifest: map('a', '2') }, undefined), /something else than what was/)
  await only.create(release, undefined)
  assert.deepEqual(created, [release])
})

test('what follows a failure needs a signature, too: neither a failure nor a forged status rolls back or uninstalls', async () => {
  const remediation = { retries: 1, remediateLastFailure: true }
  await withSigned({ timeout: '1m', upgrade: { remediation } }, async scene => {
    await scene.publish('2.0.0', 'app', { ...unready, ...hook('hello') })
    await sign(scene)
    for (let times = 0; times < 3; times++) await scene.advance(minute)
    const before = ['1 superseded 1.0.0: Install complete', '2 failed 2.0.0: ']
    const versions = async () => (await historyIn(scene)).map(line => line.replace(/(?<=2\.0\.0: ).*/, ''))
    assert.match((await conditionsIn(scene)).ready ?? '', /^False UpgradeFailed/)
    assert.equal((await versions()).length, 2, before.join())
    const plan = await openPlan(scene)
    assert.deepEqual(shownIn(plan).sort(), ['ConfigMap/app configured', 'GitRepository/unready deleted'])
    await decide(scene, plan)
    await scene.advance(10 * minute)
    assert.deepEqual(await valuesIn(scene), { app: '2.0.0' })

    const forged = async (remediation: object) => {
      await patch(scene, { upgrade: { remediation } })
      const { generation } = (await scene.read('app'))!.metadata
      const failed = { upgradeFailures: 1, lastAttemptedReleaseAction: 'upgrade' }
      await forgeStatus(scene, { ...failed, lastAttemptedGeneration: generation })
      await scene.advance(10 * minute)
      assert.deepEqual(await valuesIn(scene), { app: '2.0.0' })
      return openPlan(scene)
    }
    const leaving = shownIn(await forged({ ...remediation, strategy: 'uninstall' })).sort()
    const all = ['ConfigMap/app deleted', 'ConfigMap/hook created', 'GitRepository/unready deleted']
    assert.deepEqual(leaving, [...all, 'ServiceAccount/app deleted'])
    const again = await forged({ ...remediation, strategy: null })
    assert.deepEqual(shownIn(again), shownIn(plan))
    await sign(scene, again)
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
  })
})

test('an undo needs a signature of now', async () => {
  await withSigned({}, async (scene, first) => {
    await scene.publish('2.0.0')
    await sign(scene)
    await undoTo(scene, await contentsOf(scene, 1))
    const plan = await openPlan(scene)
    await decide(scene, plan, signedAt(scene.clock.now(), first))
    assert.deepEqual(await valuesIn(scene), { app: '2.0.0' })
    await sign(scene, plan)
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
  })
})

test('drift is corrected to what was signed last, while a change waits, too, and of nothing else', async () => {
  const driftDetection = { mode: 'enabled' } as const
  await withSigned({ driftDetection }, async scene => {
    const corrected = async (version: string) => {
      await driftTo(scene, 'drifted')
      for (let times = 0; times < 2; times++) await scene.advance(10 * minute)
      assert.deepEqual(await valuesIn(scene), { app: version })
    }
    await corrected('1.0.0')
    await scene.publish('2.0.0')
    await corrected('1.0.0')
    await patch(scene, { serviceAccountName: 'large' })
    await corrected('drifted')
    await patch(scene, { serviceAccountName: null })
    await corrected('1.0.0')
    await sign(scene)
    await corrected('2.0.0')
  })
})

test('of a version that the runner has not noted as signed, drift is left', async () => {
  await withSigned({ driftDetection: { mode: 'enabled' } }, async scene => {
    await unitMemory(scene.platform.objects).forget((await scene.read('app'))!)
    await driftTo(scene, 'drifted')
    await scene.advance(10 * minute)
    assert.deepEqual(await valuesIn(scene), { app: 'drifted' })
    await waitsFor(scene, /correct cluster drift waits: .* that is deployed was not signed/)
  })
})

test('no release is uninstalled without a signature: that of a deleted unit, of one that moves, or another that a forged status names', async () => {
  await withSigned({}, async scene => {
    const { history, storageNamespace } = (await scene.read('app'))!.status!
    await patch(scene, { releaseName: 'moved' })
    await waitsFor(scene, /revision of the uninstallation of default\/app waits for an approval of plan/)
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
    const moving = await openPlan(scene)
    assert.deepEqual(shownIn(moving).sort(), ['ConfigMap/app deleted', 'ServiceAccount/app deleted'])
    await decide(scene, moving)
    assert.deepEqual(await valuesIn(scene), { app: '1.0.0' })
    await sign(scene, moving)
    assert.deepEqual(await valuesIn(scene), {})
    await sign(scene)
    assert.deepEqual(await valuesIn(scene), { moved: '1.0.0' })

    await scene.release('other', { chartRef: { kind: 'HelmChart', name: 'app' } })
    const other = (
      await scene.hub.list<Plan>({ group: 'fleet.keelson.dev', kind: 'Plan', namespace: 'default' })
    ).items.find(({ spec }) => spec.unit.name === 'other')!
    await sign(scene, other)
    assert.deepEqual(await valuesIn(scene), { moved: '1.0.0', other: '1.0.0' })
    await forgeStatus(scene, { history: [{ ...history![0]!, name: 'other' }], storageNamespace })
    await scene.advance(10 * minute)
    await scene.hub.delete(releaseRef('app'), {})
    await scene.settle()
    await scene.advance(10 * minute)
    assert.deepEqual(await valuesIn(scene), { moved: '1.0.0', other: '1.0.0' })
    assert.deepEqual(shownIn(await openPlan(scene)).sort(), ['ConfigMap/other deleted', 'ServiceAccount/other deleted'])

    await scene.hub.delete(releaseRef('other'), {})
    await scene.settle()
    const { items } = await scene.hub.list<Plan>({ group: 'fleet.keelson.dev', kind: 'Plan', namespace: 'default' })
    const last = items.find(({ spec, status }) => spec.unit.name === 'other' && status?.phase === 'Waiting')!
    await decide(scene, last)
    assert.deepEqual(await valuesIn(scene), { moved: '1.0.0', other: '1.0.0' })
    await sign(scene, last)
    assert.deepEqual([await valuesIn(scene), await scene.read('other')], [{ moved: '1.0.0' }, undefined])
  })
})
