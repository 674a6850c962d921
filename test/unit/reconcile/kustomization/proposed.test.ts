/** A revision that a RolloutRun proposes: planned by the passes of a unit, which goes on applying what it is pinned to. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { artifactOf, blobNameOf } from '../../../../lib/foundations/kinds/artifact.ts'
import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import type { RolloutRun } from '../../../../lib/foundations/kinds/rollout-run.ts'
import { approvePlansIn } from '../../../../lib/reconcile/approvals/plan-book.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'
import { annotate } from './windows-scene.ts'

const fleet = 'fleet.keelson.dev'
const sourceRef = { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: 'default', name: 'app' }

/** A run that keeps what the source has now, and the data of the ConfigMap `vars`, if there is any. */
const keepAs = async (
  { hub, platform }: Scene,
  name: string,
  data?: Readonly<Record<string, string>>,
): Promise<void> => {
  const artifact = artifactOf((await hub.get<GitRepository>(sourceRef))!)!
  const path = `rolloutrun/default/${name}/${artifact.path.split('/').at(-1)}`
  const kept = { ...artifact, path }
  await platform.artifacts.put(blobNameOf(kept), (await platform.artifacts.get(blobNameOf(artifact)))!)
  const stages = [{ name: 'all', before: [{ approval: { of: 'Plans', minApprovals: 1 } }] }] as const
  const { kind, namespace, name: source } = sourceRef
  await hub.create<RolloutRun>(
    {
      apiVersion: `${fleet}/v1alpha1`,
      kind: 'RolloutRun',
      metadata: { name, namespace: 'default' },
      spec: {
        ...{ rollout: 'web', sources: [{ kind, namespace, name: source, artifact: kept }], stages },
        ...(data && { inputs: [{ kind: 'ConfigMap', name: 'vars', digest: `sha256:${data.value}`, data }] }),
      },
    } as unknown as RolloutRun,
    author,
  )
}

const pin = (run: string, since = '2026-01-01T00:00:00Z') => ({ 'keelson.dev/pin': `default/${run}@${since}` })
const plans = async ({ hub }: Scene) =>
  (await hub.list<Plan>({ group: fleet, kind: 'Plan', namespace: 'default' })).items.map(({ spec, status }) => [
    spec.revision,
    spec.rolloutRun,
    spec.summary,
    status?.phase,
  ])
const planned = async ({ conditions }: Scene) => (await conditions('app')).find(line => line.startsWith('Planned'))

/** `a: 1` is applied and pinned, `a: 2` is what the run web-2 would apply. */
const proposed = async (scene: Scene): Promise<void> => {
  await scene.push('1', { 'a.yaml': configMap('a', '1') })
  await keepAs(scene, 'web-1')
  await scene.kustomize('app')
  await annotate(scene, pin('web-1'))
  await scene.push('2', { 'a.yaml': configMap('a', '2'), 'b.yaml': configMap('b', '2') })
  await keepAs(scene, 'web-2')
  await annotate(scene, { 'keelson.dev/proposed': 'default/web-2' })
}

test('RO-06 a proposed revision is planned and not applied, while drift is corrected at the pinned one', async () => {
  await onStage({}, async scene => {
    await proposed(scene)
    assert.deepEqual(await plans(scene), [['main@sha1:2', 'default/web-2', '+1 ~1', 'Waiting']])
    assert.match(
      (await planned(scene)) ?? '',
      /^Planned=True Planned: RolloutRun default\/web-2: plan kustomization-app-\w+, \+1 ~1, digest sha256:[0-9a-f]{64}$/,
    )
    assert.deepEqual(await scene.values(), { a: '1' })
    assert.equal((await scene.read('app'))?.status?.lastAttemptedRevision, 'main@sha1:1')
    const drifted = { type: 'merge', patch: { data: { value: 'drifted' } } } as const
    await scene.hub.patch({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }, drifted, author)
    await annotate(scene, { 'reconcile.fluxcd.io/requestedAt': 'now' })
    assert.deepEqual(await scene.values(), { a: '1' })
  })
})

test('RO-06 pinned to the proposed run, a unit applies only what its stage has approved', async () => {
  await onStage({}, async scene => {
    await proposed(scene)
    await annotate(scene, pin('web-2'))
    assert.deepEqual(await scene.values(), { a: '1' })
    const lines = (await scene.conditions('app')).join('\n')
    assert.match(lines, /Waiting=True ApprovalRequired: .*as RolloutRun default\/web-2 requires/)
    assert.equal(await planned(scene), undefined)
    const [found] = (await scene.hub.list<Plan>({ group: fleet, kind: 'Plan', namespace: 'default' })).items
    const { metadata, spec } = found!
    const plan = { state: 'made', name: metadata.name, digest: spec.digest, summary: '' } as const
    const made = [{ key: 'Kustomization/default/app', namespace: 'default', plan }]
    const { signal } = new AbortController()
    assert.deepEqual(
      await approvePlansIn(scene.hub)(
        [{ ...made[0]!, plan: { ...plan, digest: `sha256:${'0'.repeat(64)}` } }],
        ['ann'],
        signal,
      ),
      ['Kustomization/default/app'],
    )
    assert.deepEqual(await approvePlansIn(scene.hub)(made, ['ann'], signal), [])
    await annotate(scene, { 'reconcile.fluxcd.io/requestedAt': 'now' })
    assert.deepEqual(await scene.values(), { a: '2', b: '2' })
    assert.deepEqual(await plans(scene), [['main@sha1:2', 'default/web-2', '+1 ~1', 'Applied']])
  })
})

test('RO-06 a revision that changes nothing has a plan that says so; one that does not build says why it has none', async () => {
  await onStage({}, async scene => {
    await proposed(scene)
    await scene.push('3', { 'a.yaml': configMap('a', '1') })
    await keepAs(scene, 'web-3')
    await annotate(scene, { 'keelson.dev/proposed': 'default/web-3' })
    assert.match((await planned(scene)) ?? '', /plan kustomization-app-\w+, no changes, digest sha256/)
    await scene.push('4', { 'a.yaml': 'a: [' })
    await keepAs(scene, 'web-4')
    await annotate(scene, { 'keelson.dev/proposed': 'default/web-4' })
    assert.match((await planned(scene)) ?? '', /^Planned=False PlanFailed: RolloutRun default\/web-4: .*a\.yaml/s)
    assert.match((await scene.conditions('app')).join('\n'), /^Ready=True/m)
    assert.deepEqual(await scene.values(), { a: '1' })
    // A run that has ended proposes nothing.
    const status = { type: 'merge', patch: { status: { phase: 'Superseded' } } } as const
    const ref = { group: fleet, kind: 'RolloutRun', namespace: 'default', name: 'web-4' }
    await scene.hub.patch(ref, status, { ...author, subresource: 'status' })
    await annotate(scene, { 'reconcile.fluxcd.io/requestedAt': 'now' })
    assert.equal(await planned(scene), undefined)
  })
})

const vars = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'vars', namespace: 'default' } }
const fromVars = { postBuild: { substituteFrom: [{ kind: 'ConfigMap', name: 'vars' }] } } as const
const liveValue = async (scene: Scene) => (await scene.values()).a
const pinnedOf = async ({ conditions }: Scene) =>
  (await conditions('app')).find(line => line.startsWith('Pinned')) ?? ''

test('RO-03 a unit builds with the data that the run of its pin keeps, whatever it is today, and says which that is', async () => {
  await onStage({}, async scene => {
    await scene.hub.create({ ...vars, data: { value: 'one' } } as never, author)
    await scene.push('1', { 'a.yaml': configMap('a', '${value}') })
    await keepAs(scene, 'web-1', { value: 'one' })
    await keepAs(scene, 'web-2', { value: 'two' })
    await scene.kustomize('app', fromVars)
    await annotate(scene, pin('web-1'))
    const changed = { type: 'merge', patch: { data: { value: 'two' } } } as const
    await scene.hub.patch({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'vars' }, changed, author)
    await annotate(scene, { 'reconcile.fluxcd.io/requestedAt': 'now' })
    assert.equal(await liveValue(scene), 'one')
    await annotate(scene, pin('web-2'))
    assert.equal(await liveValue(scene), 'two')
    assert.match(await pinnedOf(scene), /web-2 holds it at .*, with ConfigMap vars of digest sha256:two, since 2026-/)
    await annotate(scene, pin('web-1'))
    assert.equal(await liveValue(scene), 'one')
  })
})

const neverReady = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: child, namespace: default}
spec: {interval: 10m, prune: true, path: ./child, sourceRef: {kind: GitRepository, name: never}}
`

test('RO-03 a health check that began before a pin says nothing about it: the unit is applied at once when it ends', async () => {
  await onStage({}, async scene => {
    await scene.push('1', { 'app/a.yaml': configMap('a', '${value}'), 'app/child.yaml': neverReady })
    await keepAs(scene, 'web-1', { value: 'one' })
    await keepAs(scene, 'web-2', { value: 'two' })
    await scene.kustomize('app', { ...fromVars, path: './app', wait: true, timeout: '1m', suspend: true })
    await annotate(scene, pin('web-1'))
    const resumed = { type: 'merge', patch: { spec: { suspend: false } } } as const
    await scene.hub.patch(kustomizationRef('app'), resumed, author)
    await scene.advance(10_000)
    assert.deepEqual(
      [await liveValue(scene), /RolloutRun default\/web-\d/.exec(await pinnedOf(scene))?.[0]],
      ['one', 'RolloutRun default/web-1'],
    )
    await annotate(scene, pin('web-2', new Date(scene.clock.now()).toISOString()))
    await scene.advance(20_000)
    assert.deepEqual([await liveValue(scene), (await pinnedOf(scene)).includes('web-1')], ['one', true])
    await scene.advance(35_000)
    assert.equal(await liveValue(scene), 'two')
    assert.match(await pinnedOf(scene), /web-2 holds it/)
  })
})
