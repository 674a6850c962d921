/** Releases with a chart of their own (`spec.chart`) under a Rollout of a HelmChart, with the reconcilers of both. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmReleaseSpec } from '../../../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { approvePlansIn } from '../../../../lib/reconcile/approvals/plan-book.ts'
import { approvalsIn } from '../../../../lib/reconcile/rollout/observe.ts'
import { defaultRolloutSettings, rolloutReconciler } from '../../../../lib/reconcile/rollout/rollout.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { refetchThrough } from '../../../../lib/reconcile/source-artifact/read-artifact.ts'
import { shown, type WorldPorts } from '../world.ts'
import { author, chartRef, onStage, releaseRef, type Scene } from './scene.ts'

const minute = 60_000

const rollouts = (ports: WorldPorts): readonly Reconciler<KubernetesObject>[] => {
  const query = async () => ({ status: 200, body: null, value: null })
  const gates = { query, approvals: approvalsIn(ports.hub), approvePlans: approvePlansIn(ports.hub) }
  const settings = { ...defaultRolloutSettings, noCrossNamespaceRefs: false, buildLimits: {} }
  const reconciler = rolloutReconciler({ ...ports, refetch: refetchThrough(ports), gates }, settings)
  return [reconciler as unknown as Reconciler<KubernetesObject>]
}

const create = ({ hub }: Scene, apiVersion: string, kind: string, name: string, content: object, labels = {}) =>
  hub.create({ apiVersion, kind, metadata: { name, namespace: 'default', labels }, ...content }, author)

const ownChart = (more: object = {}): Partial<HelmReleaseSpec> => ({
  chart: { spec: { chart: 'app', version: '*', sourceRef: { kind: 'HelmRepository', name: 'charts' }, ...more } },
})

/** Releases on the clusters paris, of the first stage, and rome, an hour later. */
const begun = async (scene: Scene): Promise<void> => {
  const first = { name: 'first', clusterSelector: { matchLabels: { tier: 'first' } } }
  const spec = {
    sources: [{ kind: 'HelmChart', name: 'app' }],
    stages: [first, { name: 'others', before: [{ wait: '1h' }] }],
  }
  await create(scene, 'fleet.keelson.dev/v1alpha1', 'Rollout', 'web', { spec })
  await scene.settle()
  for (const name of ['paris', 'rome']) {
    const kubeConfig = { secretRef: { name } }
    await create(scene, 'v1', 'Secret', name, { stringData: { value: 'a kubeconfig' } })
    const labels = { tier: name === 'paris' ? 'first' : 'second' }
    await create(scene, 'fleet.keelson.dev/v1alpha1', 'Cluster', name, { spec: { kubeConfig } }, labels)
    await scene.release(name, { ...ownChart(), kubeConfig })
  }
}

/** The version of each release. */
const versions = async ({ read }: Scene, ...names: readonly string[]) =>
  Promise.all(names.map(async name => (await read(name))?.status?.history?.[0]?.chartVersion))

const move = async ({ hub, settle }: Scene, ref: ReturnType<typeof chartRef>, spec: object): Promise<void> => {
  await hub.patch(ref, { type: 'merge', patch: { spec } }, author)
  await settle()
}

test('RO-01 RO-04 a release with a chart of its own takes the versions of its stage, whatever the HelmChart that was made for it has', () =>
  onStage({ others: rollouts }, async scene => {
    const { publish, advance, passes, read } = scene
    await begun(scene)
    await advance(5 * minute)
    assert.match(shown(await read('paris')).join('\n'), /Rollout default\/web has not started it/, 'no run yet')
    await publish('1.0.0')
    await advance(5 * minute)
    assert.deepEqual(await versions(scene, 'paris', 'rome'), ['1.0.0', undefined])
    assert.match(shown(await read('rome')).join('\n'), /Rollout default\/web has not started it/)
    await advance(60 * minute)
    assert.deepEqual(await versions(scene, 'paris', 'rome'), ['1.0.0', '1.0.0'])
    assert.match(shown(await read('rome')).join('\n'), /^Ready=True .*, held by RolloutRun default\/web-1$/m)

    const before = passes.length
    for (const name of ['paris', 'rome']) await publish('3.0.0', `default-${name}`)
    assert.deepEqual(passes.slice(before), [], 'that is no news for them')
    await publish('2.0.0')
    await advance(5 * minute)
    assert.deepEqual(await versions(scene, 'paris', 'rome'), ['2.0.0', '1.0.0'])
    await advance(60 * minute)
    assert.deepEqual(await versions(scene, 'paris', 'rome'), ['2.0.0', '2.0.0'])
  }))

test('RO-02 a release with other values files, or of another version than the HelmChart takes, is none of the Rollout', () =>
  onStage({ others: rollouts }, async scene => {
    const { publish, release, advance } = scene
    await begun(scene)
    await publish('1.0.0')
    await advance(70 * minute)
    for (const [name, more] of [
      ['files', { valuesFiles: ['values.yaml'] }],
      ['version', { version: '5.x' }],
    ] as const) {
      await release(name, ownChart(more))
      await publish('5.0.0', `default-${name}`)
    }
    assert.deepEqual(await versions(scene, 'files', 'version', 'paris'), ['5.0.0', '5.0.0', '1.0.0'])
  }))

test('RO-04 releases that move to another repository do so stage by stage, also when the HelmChart moves first', () =>
  onStage({ others: rollouts }, async scene => {
    const { publish, advance, read, hub } = scene
    await begun(scene)
    await publish('1.0.0')
    await advance(70 * minute)
    const sourceRef = { kind: 'HelmRepository', name: 'mirror' }
    await move(scene, chartRef('app'), { sourceRef })
    await advance(5 * minute)
    const rollout = await hub.get({ ...releaseRef('web'), group: 'fleet.keelson.dev', kind: 'Rollout' })
    assert.match(shown(rollout).join('\n'), /the artifact of HelmChart\/default\/app is that of an older spec/)
    await publish('2.0.0')
    await advance(5 * minute)
    const waits =
      'RolloutRun default/web-2 has another chart or source, and Rollout default/web has not started it in a run that has its own'
    assert.ok(
      shown(await read('paris'))
        .join('\n')
        .includes(waits),
      shown(await read('paris')).join('\n'),
    )
    assert.deepEqual(await versions(scene, 'paris', 'rome'), ['1.0.0', '1.0.0'])
    const pinOf = async () => (await read('paris'))?.metadata.annotations?.['keelson.dev/pin']
    const pin = await pinOf()
    await advance(2 * minute)
    assert.equal(await pinOf(), pin, 'the same pin once more would change nothing')

    for (const name of ['paris', 'rome']) await move(scene, releaseRef(name), ownChart({ sourceRef }))
    for (const name of ['paris', 'rome']) await publish('2.0.0', `default-${name}`)
    await advance(5 * minute)
    assert.deepEqual(await versions(scene, 'paris', 'rome'), ['2.0.0', '1.0.0'])
    await advance(60 * minute)
    assert.deepEqual(await versions(scene, 'paris', 'rome'), ['2.0.0', '2.0.0'])
  }))
