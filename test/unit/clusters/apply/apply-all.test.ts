import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApplyAllOptions, applyAll } from '../../../../lib/clusters/apply/apply-all.ts'
import { describeChange } from '../../../../lib/clusters/apply/change-set.ts'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const configMap = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'apps' },
  data: { key: 'value' },
})

/** A cluster that fails in ways a real one can't be made to fail at will: only what a test gives may be called. */
const failing = (methods: Partial<ClusterClient>): ClusterClient =>
  ({ resourceFor: async () => ({ namespaced: true }), ...methods }) as ClusterClient

const apply = (
  cluster: ClusterClient,
  objects: readonly KubernetesObject[],
  recorded: readonly string[] = [],
  more: Partial<ApplyAllOptions> = {},
) =>
  applyAll(cluster, objects, {
    ...more,
    fieldManager: 'kustomize-controller',
    owner: { group: 'kustomize.toolkit.fluxcd.io', namespace: 'flux-system', name: 'app' },
    recorded: new Set(recorded),
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => {} },
  })

test('an unreachable cluster is reported once, not for each object', async () => {
  const down = new ClusterError('unreachable', 'failed to get server groups: Get "https://prod": connection refused')
  const dead = async () => Promise.reject(down)
  const message = `ConfigMap/apps/a dry-run failed: ${down.message}`
  const objects = ['b', 'a', 'c'].map(configMap)
  const recorded = ['apps_a__ConfigMap', 'apps_b__ConfigMap', 'apps_c__ConfigMap']
  const diedJustNow = failing({ apply: dead, list: dead, get: dead })
  await assert.rejects(apply(diedJustNow, objects), { name: 'ApplyError', message })
  await assert.rejects(apply(diedJustNow, objects, recorded), { name: 'ApplyError', message })

  let asked = 0
  const resourceFor = () => {
    asked++
    return dead()
  }
  await assert.rejects(apply(failing({ resourceFor }), objects, recorded), { name: 'ApplyError', message })
  assert.equal(asked, 1)
})

test('an unreachable cluster is reported as the cause, not an object or its file, whatever the request', async () => {
  const outage = { server: 'https://prod', problem: 'dial tcp: connection refused' }
  let asked = 0
  const dead = async () => {
    throw new ClusterError('unreachable', `Patch "https://prod/${asked++}": ${outage.problem}`, { outage })
  }
  const applying = apply(failing({ apply: dead, list: dead, get: dead }), ['b', 'a'].map(configMap), [], {
    originOf: () => 'apps/a.yaml',
  })
  const message = 'cluster https://prod is unreachable: dial tcp: connection refused'
  await assert.rejects(applying, { name: 'ApplyError', message, outage })
})

test('a kind of Flux that is not served is reported with its remedy, other kinds as they are', async () => {
  const noMatch = async (object: KubernetesObject) => {
    throw new ClusterError('noMatch', `no matches for kind "${object.kind}"`)
  }
  const cluster = failing({ apply: noMatch })
  const of = (apiVersion: string, kind: string) => ({ ...configMap('a'), apiVersion, kind })
  await assert.rejects(apply(cluster, [of('image.toolkit.fluxcd.io/v1', 'ImagePolicy')]), {
    message:
      'ImagePolicy/apps/a dry-run failed: no matches for kind "ImagePolicy"; ImagePolicy belongs on a cluster where its Flux controller runs: give the Kustomization that builds it a spec.kubeConfig for that cluster, or install the controller',
  })
  await assert.rejects(apply(cluster, [of('example.com/v1', 'X')]), {
    message: 'X/apps/a dry-run failed: no matches for kind "X"',
  })
})

test('decides again about an object that changed between the read and the write', async () => {
  const versions = ['1', '2']
  const live = (resourceVersion: string): KubernetesObject => ({
    ...configMap('a'),
    metadata: {
      name: 'a',
      namespace: 'apps',
      resourceVersion,
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    },
  })
  const tried: unknown[] = []
  const cluster = failing({
    get: async () => live(versions.shift()!),
    apply: async object => ({ ...object, metadata: { ...object.metadata, resourceVersion: '9' } }),
    patch: async (_, __, { type, ...patch }) => {
      const [guard] = (patch as { operations: { value: string }[] }).operations
      tried.push(guard?.value)
      if (guard?.value === '1') throw new ClusterError('conflict', 'the object has been modified', { status: 409 })
      return live('3')
    },
  })
  const { changes } = await apply(cluster, [configMap('a')])
  assert.deepEqual([changes.map(describeChange), tried], [['ConfigMap/apps/a configured'], ['1', '2']])
})

test('reports what had been written when a write fails after all dry-runs had passed', async () => {
  const cluster = failing({
    apply: async (object, { dryRun }) => {
      if (!dryRun && object.metadata.name === 'b') throw new ClusterError('server', 'etcd is full', { status: 500 })
      return object
    },
  })
  await assert.rejects(apply(cluster, ['a', 'b', 'c'].map(configMap)), ({ message, changes, failures }) => {
    assert.equal(message, 'ConfigMap/apps/b apply failed: etcd is full')
    assert.deepEqual(changes.map(describeChange), ['ConfigMap/apps/a created', 'ConfigMap/apps/c created'])
    assert.equal(failures.length, 1)
    return true
  })
})

test('KS-294 has so many requests of one run under way at a time, and no more', async () => {
  let running = 0
  let most = 0
  const cluster = failing({
    apply: async object => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      return object
    },
  })
  const objects = Array.from({ length: 20 }, (_, index) => configMap(`c${index}`))
  await apply(cluster, objects, [], { concurrency: 3 })
  assert.equal(most, 3)
})

test('KS-292 writes the kinds of the custom stage before the rest', async () => {
  const written: string[] = []
  const cluster = failing({
    apply: async (object, { dryRun }) => {
      if (!dryRun) written.push(object.kind)
      return object
    },
  })
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'apps' } }
  const isCustomStage = ({ group, kind }: { group: string; kind: string }) =>
    `${group}/${kind}` === 'example.com/Widget'
  await apply(cluster, [configMap('a'), widget], [], { isCustomStage })
  assert.deepEqual(written, ['Widget', 'ConfigMap'])
})

test('what was refused for a namespace that comes with the set is applied once that is there', async () => {
  let isThere = false
  const cluster = failing({
    get: async () => undefined,
    apply: async (object, { dryRun }) => {
      if (object.kind === 'Namespace') {
        if (!dryRun) isThere = true
        return object
      }
      if (!isThere) throw new ClusterError('notFound', 'namespaces "apps" not found', { status: 404 })
      return object
    },
  })
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' }, status: { phase: 'Active' } }
  const { changes } = await apply(cluster, [configMap('a'), namespace], [], { originOf: () => 'a.yaml' })
  assert.deepEqual(changes.map(describeChange), ['Namespace/apps created', 'ConfigMap/apps/a created'])
})

test('a fault of ours surfaces as it is', async () => {
  const cluster = failing({ apply: async () => Promise.reject(new TypeError('a bug')) })
  await assert.rejects(apply(cluster, [configMap('a')]), new TypeError('a bug'))
})
