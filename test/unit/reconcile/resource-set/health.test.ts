import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { author, configMap, group, onStage, type Scene, setRef } from './scene.ts'

/** A provider that never becomes ready by itself: its address does not answer. */
const pending = (name: string) => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: { name, namespace: 'default' },
  spec: { interval: '10m', url: 'https://git.example.com/app' },
})
const pendingRef = (name: string): ObjectRef => ({
  group: 'source.toolkit.fluxcd.io',
  kind: 'GitRepository',
  namespace: 'default',
  name,
})

const setStatus = async (scene: Scene, name: string, status: 'True' | 'False', type = 'Ready') => {
  const condition = { type, status, reason: 'Test', message: 'as told', lastTransitionTime: '2026-01-01T00:00:00Z' }
  const live = await scene.hub.get<KubernetesObject>(pendingRef(name))
  const patch = { status: { observedGeneration: live!.metadata.generation, conditions: [condition] } }
  await scene.hub.patch(pendingRef(name), { type: 'merge', patch }, { subresource: 'status', ...author })
}
const ready = 'Ready=True ReconciliationSucceeded: Reconciliation finished in ...'
const last = async (scene: Scene) => (await scene.conditions()).at(-1)

test('RS-102 RS-103 with wait, is ready when all that was applied is', () =>
  onStage({}, async scene => {
    await scene.apply({ wait: true, resources: [pending('repo'), configMap('cm')] })
    assert.equal(await last(scene), 'Ready=Unknown Progressing: Reconciliation in progress')
    assert.deepEqual(Object.keys(await scene.data()), ['cm'])
    assert.equal((await scene.read())!.status!.history, undefined, 'a run that is not over is in the history')
    await setStatus(scene, 'repo', 'True')
    await scene.advance(5_000)
    assert.equal(await last(scene), ready)
    const { history } = (await scene.read())!.status!
    assert.deepEqual(
      history!.map(({ lastReconciledStatus }) => lastReconciledStatus),
      ['ReconciliationSucceeded'],
    )
  }))

test('RS-104 RS-122 when the time is up, fails with what is not healthy', () =>
  onStage({}, async scene => {
    const annotations = { 'fluxcd.controlplane.io/reconcileTimeout': '30s' }
    await scene.apply({ wait: true, resources: [pending('repo')] }, annotations)
    await scene.advance(29_000)
    assert.equal(await last(scene), 'Ready=Unknown Progressing: Reconciliation in progress')
    await scene.advance(4_000)
    assert.equal(
      await last(scene),
      "Ready=False ReconciliationFailed: reconciliation failed: timeout waiting for: [GitRepository/default/repo status: 'InProgress']\n",
    )
    assert.deepEqual(await scene.inventory(), ['default_repo_source.toolkit.fluxcd.io_GitRepository'])
  }))

test('RS-104 each run has the whole timeout for its objects, however long the one before has waited', () =>
  onStage({}, async scene => {
    const annotations = {
      'fluxcd.controlplane.io/reconcileTimeout': '30s',
      'fluxcd.controlplane.io/reconcileEvery': '1m',
    }
    await scene.apply({ wait: true, resources: [pending('repo')] }, annotations)
    await scene.advance(20_000)
    await setStatus(scene, 'repo', 'True')
    await scene.advance(5_000)
    assert.equal(await last(scene), ready)
    await setStatus(scene, 'repo', 'True', 'Reconciling')
    await scene.advance(70_000)
    const { status, lastTransitionTime } = (await scene.read())!.status!.conditions!.find(
      ({ type }) => type === 'Ready',
    )!
    assert.equal(status, 'Unknown')
    const hasTimedOut = async () => (await scene.events()).some(event => event.includes('timeout waiting for'))
    await scene.advance(Date.parse(lastTransitionTime) + 25_000 - scene.clock.now())
    assert.equal(await hasTimedOut(), false)
    await scene.advance(15_000)
    assert.equal(await hasTimedOut(), true)
  }))

test('does not wait for what has failed for good', () =>
  onStage({}, async scene => {
    await scene.apply({ wait: true, resources: [pending('repo')] })
    await setStatus(scene, 'repo', 'True', 'Stalled')
    await scene.advance(5_000)
    assert.match(
      (await last(scene))!,
      /failed early due to stalled resources: \[GitRepository\/default\/repo status: 'Failed'/,
    )
  }))

test('a new spec does not wait for the health of the one before', () =>
  onStage({}, async scene => {
    await scene.apply({ wait: true, resources: [pending('repo')] })
    await scene.apply({ wait: true, resources: [configMap('cm')] })
    assert.equal(await last(scene), ready)
    const events = await scene.events()
    assert.ok(
      events.includes(
        'Normal HealthCheckCanceled 1x: Health checks canceled due to new reconciliation triggered by ResourceSet/default/app',
      ),
      events.join('\n'),
    )
    assert.ok(!scene.lines.some(({ error }) => error !== undefined), 'nothing is wrong, so the log has no error')
  }))

const steps = (timeout?: string) => [
  { name: 'first', resources: [configMap('one')] },
  { name: 'second', resources: [pending('repo')], ...(timeout && { timeout }) },
  { name: 'third', resources: [configMap('three')] },
]

test('RS-071 RS-072 RS-077 each step is applied once the previous one is healthy, and reports its changes', () =>
  onStage({}, async scene => {
    await scene.apply({ steps: steps() })
    assert.deepEqual(await scene.conditions(), [
      'Reconciling=True Progressing: Applying step 2/3 "second"',
      'Ready=Unknown Progressing: Reconciliation in progress',
    ])
    assert.deepEqual(Object.keys(await scene.data()), ['one'])
    await setStatus(scene, 'repo', 'True')
    await scene.advance(5_000)
    assert.equal(await last(scene), ready)
    assert.deepEqual(Object.keys(await scene.data()), ['one', 'three'])
    assert.deepEqual(await scene.events(), [
      'Normal ApplySucceeded 1x: ConfigMap/default/three created',
      'Normal ApplySucceeded 1x: step "first": ConfigMap/default/one created',
      'Normal ApplySucceeded 1x: step "second": GitRepository/default/repo created',
      'Normal ReconciliationSucceeded 1x: Reconciliation finished in ...',
    ])
    assert.deepEqual((await scene.read())!.status!.history![0]!.metadata, { inputs: '0', resources: '3', steps: '3' })
  }))

test('RS-073 RS-074 RS-076 a step that is not healthy in time ends the run: nothing of later steps, nothing collected', () =>
  onStage({}, async scene => {
    await scene.apply({ resources: [configMap('old')] })
    await scene.apply({ steps: steps('3s') })
    await scene.advance(5_000)
    assert.deepEqual(await scene.conditions(), [
      'Reconciling=True ProgressingWithRetry: Applying step 2/3 "second"',
      `Ready=False ReconciliationFailed: reconciliation failed: step "second" health check failed: timeout waiting for: [GitRepository/default/repo status: 'InProgress']\n`,
    ])
    assert.deepEqual(Object.keys(await scene.data()), ['old', 'one'])
    assert.deepEqual([...(await scene.inventory())].sort(), [
      'default_old__ConfigMap',
      'default_one__ConfigMap',
      'default_repo_source.toolkit.fluxcd.io_GitRepository',
    ])
    await setStatus(scene, 'repo', 'True')
    await scene.advance(30_000)
    assert.deepEqual(Object.keys(await scene.data()), ['one', 'three'])
  }))

test('RS-111 RS-112 RS-113 Flux objects go first; what they act with follows when they are gone, or after a minute', () =>
  onStage({}, async scene => {
    const kustomization = (name: string) => ({
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name, namespace: 'default', finalizers: ['finalizers.fluxcd.io'] },
      spec: { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } },
    })
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'default' } }
    const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'k' }
    const isThere = async () =>
      (await scene.hub.get({ ...setRef, group: '', kind: 'ServiceAccount', name: 'robot' })) !== undefined
    const all = [kustomization('k'), account]

    await scene.apply({ resources: all })
    await scene.apply({ resources: [configMap('cm')] })
    await scene.advance(10_000)
    assert.equal(await isThere(), true, 'its Kustomization is still being finalized')
    await scene.hub.patch(ref, { type: 'merge', patch: { metadata: { finalizers: null } } }, author)
    await scene.advance(3_000)
    assert.equal(await isThere(), false)
    assert.equal(await last(scene), ready)
    const events = await scene.events()
    assert.ok(
      events.includes(
        'Normal ApplySucceeded 1x: Kustomization/default/k deleted\nServiceAccount/default/robot deleted',
      ),
      events.join('\n'),
    )

    await scene.apply({ resources: all })
    await scene.hub.delete(setRef, {})
    await scene.settle()
    await scene.advance(50_000)
    assert.equal(await isThere(), true)
    await scene.advance(15_000)
    assert.deepEqual([await isThere(), await scene.read()], [false, undefined])
  }))

test('RS-098 a failed Job with the annotation is recreated', async () => {
  const deleted: string[] = []
  const failed = { status: { conditions: [{ type: 'Failed', status: 'True' }] } }
  await onStage(
    {
      cluster: hub => {
        let uid = 'first'
        const job = () => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'default', uid } })
        const isJob = (kind: string) => kind === 'Job'
        return {
          ...hub,
          resourceFor: async (apiVersion, kind, options) =>
            isJob(kind)
              ? { group: 'batch', version: 'v1', kind, plural: 'jobs', namespaced: true, verbs: [] }
              : hub.resourceFor(apiVersion, kind, options),
          get: async (apiVersion, ref, options) => {
            if (!isJob(ref.kind)) return hub.get(apiVersion, ref, options)
            return uid ? { ...job(), ...(uid === 'first' && failed) } : undefined
          },
          delete: async (apiVersion, ref, options) => {
            if (!isJob(ref.kind)) return hub.delete(apiVersion, ref, options)
            deleted.push(options.uid ?? '')
            uid = ''
            return undefined
          },
          apply: async (object, options) => {
            if (!isJob(object.kind)) return hub.apply(object, options)
            if (!options.dryRun) uid = 'second'
            return { ...job(), ...object }
          },
        }
      },
    },
    async scene => {
      const annotations = {
        'fluxcd.controlplane.io/recreateOnFailure': 'enabled',
        'fluxcd.controlplane.io/prune': 'disabled',
      }
      const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'default', annotations } }
      await scene.apply({ resources: [{ ...job, spec: {} }] })
      assert.deepEqual(deleted, ['first'])
      assert.equal(await last(scene), ready)
    },
  )
})

test('RS-083 waits for what flux-operator has in hand for its latest generation', () =>
  onStage({}, async scene => {
    const provider = {
      apiVersion: `${group}/v1`,
      kind: 'ResourceSetInputProvider',
      metadata: { name: 'p', namespace: 'default' },
      spec: { type: 'Static', defaultValues: { a: 1 } },
    }
    await scene.apply({ wait: true, resources: [provider] })
    await scene.advance(3_000)
    assert.equal(await last(scene), ready)
    assert.equal((await scene.provider('p'))!.status!.exportedInputs!.length, 1)
  }))
