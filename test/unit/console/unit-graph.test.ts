import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unitGraph } from '../../../lib/console/model/unit-graph.ts'
import { type LiveObject, type LiveState, livePod } from '../../../lib/foundations/fleet/live.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { objectOf } from '../foundations/fleet/fleet-parts.ts'

const unit = objectOf('Kustomization', 'web')
const source = objectOf('GitRepository', 'app')

const objects = (many: number, state: LiveState, kind = 'ConfigMap'): readonly LiveObject[] =>
  Array.from({ length: many }, (_, at) => {
    const name = `${kind.toLowerCase()}-${state}-${at}`
    return { id: `default_${name}__${kind}`, kind, namespace: 'default', name, state, message: '' }
  })

const pod = (name: string, image: string, status: object, meta = {}): KubernetesObject =>
  ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', ...meta } },
    spec: { containers: [{ name: 'app', image }] },
    status,
  }) as unknown as KubernetesObject

const running = { phase: 'Running', containerStatuses: [{ name: 'app', ready: true, restartCount: 2, state: {} }] }
const noImage = {
  phase: 'Pending',
  containerStatuses: [{ name: 'app', state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } } }],
}

test('what fails stands alone, what is ready is one node, and pods of one image and state are one', () => {
  const [web] = objects(1, 'failed', 'Deployment')
  const owner = web!.id
  const pods = [
    ...['a', 'b', 'c'].map(name => livePod(pod(name, 'ghcr.io/acme/api:1.7.4', running), owner)),
    livePod(pod('d', 'ghcr.io/acme/api:1.8.0', noImage), owner),
  ]
  const tree = { objects: [...objects(21, 'ready'), web!], more: 4, pods, refused: [] }
  const { nodes, edges } = unitGraph(unit, [source], tree)
  assert.deepEqual(
    nodes.map(({ title, text, state }) => `${title} | ${text} | ${state.state}`),
    [
      'app | GitRepository, ready | ready',
      'web | Kustomization, ready | ready',
      'deployment-failed-0 | Deployment, failing | failing',
      '25 objects | ready | ready',
      '1 pod, 1.8.0 | app: ImagePullBackOff: not found | failing',
      '3 pods, 1.7.4 | running | ready',
    ],
  )
  assert.equal(edges.length, 5)
  const ids = new Set(nodes.map(({ id }) => id))
  assert.ok(edges.flat().every(id => ids.has(id)))
})

test('hundreds of failing objects stay a graph that fits on a page', () => {
  const tree = { objects: objects(300, 'missing'), more: 0, pods: [], refused: [] }
  const { nodes } = unitGraph(unit, [], tree)
  assert.equal(nodes.length, 10)
  assert.deepEqual([nodes.at(-1)?.title, nodes.at(-1)?.text], ['292 objects', 'missing'])
})

test('without anything of the cluster there is what the hub knows', () => {
  assert.deepEqual(
    unitGraph(unit, [source], undefined).nodes.map(({ title }) => title),
    ['app', 'web'],
  )
})

test('a pod says what keeps it', () => {
  const messageOf = (status: object, meta = {}) => {
    const { state, message } = livePod(pod('a', 'x', status, meta), 'o')
    return `${state}: ${message}`
  }
  assert.equal(messageOf(running), 'ready: running')
  assert.equal(messageOf({}), 'progressing: Pending, 0 of 0 containers ready')
  assert.equal(messageOf({ phase: 'Succeeded' }), 'ready: completed')
  assert.equal(messageOf({ phase: 'Failed', reason: 'Evicted', message: 'disk' }), 'failed: Evicted: disk')
  assert.equal(messageOf(running, { deletionTimestamp: 'now' }), 'progressing: is being deleted')
  const creating = {
    phase: 'Pending',
    containerStatuses: [{ name: 'app', state: { waiting: { reason: 'ContainerCreating' } } }],
  }
  assert.equal(messageOf(creating), 'progressing: ContainerCreating')
  assert.equal(livePod(pod('a', 'x', running), 'o').restarts, 2)
})
