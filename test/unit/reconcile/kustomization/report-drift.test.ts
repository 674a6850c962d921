/** Kustomizations that only report drift: what the comparison with a cluster meets, and that nothing is written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import { driftAnnotation } from '../../../../lib/foundations/kinds/applied.ts'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap, gone, onStage, type Scene } from './scene.ts'

const object = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }
const tenMinutes = 600_000

const change = (hub: Scene['hub'], value: string) =>
  hub.patch(object, { type: 'merge', patch: { data: { value } } }, { fieldManager: 'incident-bot' })

const annotate = async ({ hub, settle }: Scene, annotations: Readonly<Record<string, string>>): Promise<void> => {
  await hub.patch(kustomizationRef('app'), { type: 'merge', patch: { metadata: { annotations } } }, author)
  await settle()
}

const reporting = async (scene: Scene): Promise<void> => {
  await scene.push('1', { 'a.yaml': configMap('a', '1') })
  await scene.kustomize('app')
  await annotate(scene, { [driftAnnotation]: 'report' })
}

/** A cluster that refuses dry runs, or on which something happens once an object was read. */
const meddling = () => {
  const meddler: { afterRead?: () => Promise<unknown>; refusal?: ClusterError; writes: number } = { writes: 0 }
  const cluster = (real: ClusterClient): ClusterClient => ({
    ...real,
    get: async (...args: Parameters<ClusterClient['get']>) => {
      const found = await real.get(...args)
      const { afterRead } = meddler
      delete meddler.afterRead
      await afterRead?.()
      return found
    },
    apply: async (desired, options) => {
      if (meddler.refusal) throw meddler.refusal
      if (!options.dryRun) meddler.writes++
      return real.apply(desired, options)
    },
  })
  return { meddler, cluster }
}

test('an object that changes just after it was compared is left alone, and reported by the next pass', async () => {
  const { meddler, cluster } = meddling()
  await onStage({ cluster }, async scene => {
    const { hub, advance, conditions, values, runs } = scene
    await reporting(scene)
    const { writes } = meddler
    let changed = false
    meddler.afterRead = async () => {
      await change(hub, 'theirs')
      changed = true
    }
    await annotate(scene, { [requestedAtAnnotation]: 'now' })
    assert.ok(changed)
    const run = (await runs()).at(-1)
    assert.deepEqual([run?.cause.type, run?.result, run?.counts], ['Request', 'Succeeded', { unchanged: 1 }])
    assert.deepEqual([await values(), meddler.writes], [{ a: 'theirs' }, writes])
    await advance(1.5 * tenMinutes)
    assert.match((await conditions('app')).join('\n'), /^Drifted=True DriftDetected: 1 object differs/m)
    assert.deepEqual([await values(), meddler.writes], [{ a: 'theirs' }, writes])
  })
})

for (const [what, refusal, message] of [
  [
    'refuses a dry run',
    new ClusterError('forbidden', 'no patches here', { status: 403 }),
    /ReconciliationFailed.*no patches here/,
  ],
  ['does not respond', gone(), /i\/o timeout/],
] as const)
  test(`a cluster that ${what} fails the pass; what has drifted is left alone then, and after it`, async () => {
    const { meddler, cluster } = meddling()
    await onStage({ cluster }, async scene => {
      const { hub, advance, conditions, values } = scene
      await reporting(scene)
      await change(hub, 'theirs')
      const { writes } = meddler
      meddler.refusal = refusal
      await advance(1.5 * tenMinutes)
      assert.match((await conditions('app')).join('\n'), message)
      delete meddler.refusal
      await advance(1.5 * tenMinutes)
      const after = (await conditions('app')).join('\n')
      assert.match(after, /^Drifted=True/m)
      assert.match(after, /^Ready=True ReconciliationSucceeded: Applied revision: main@sha1:1$/m)
      assert.deepEqual([await values(), meddler.writes], [{ a: 'theirs' }, writes])
    })
  })
