/** Which pods and containers keep a unit from being ready, by what Kubernetes reports of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  failingContainers,
  isHeldByPods,
  namedOrFailing,
  namesOfContainers,
  podsIn,
  selectUnready,
} from '../../../../lib/foundations/fleet/failing-pods.ts'
import { livePod } from '../../../../lib/foundations/fleet/live.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const backOff = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } }
const crashed = { terminated: { exitCode: 1, reason: 'Error' } }

const pod = (containerStatuses: readonly object[], more: object = {}, spec: object = {}): KubernetesObject =>
  ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1', namespace: 'default' } },
    spec: { containers: [{ name: 'web' }], ...spec },
    status: { phase: 'Running', containerStatuses, ...more },
  }) as unknown as KubernetesObject

const found = (container: object, more: object = {}) =>
  failingContainers(pod([{ name: 'web', ...container }], more)).map(
    ({ name, message, runs }) => `${name} ${message} [${runs.join(', ')}]`,
  )

test('a container that restarts again and again has failed in its previous run, and one that has ended in its current one', () => {
  assert.deepEqual(found({ state: backOff, lastState: crashed }), [
    'web exited with 1 (Error), and waits: CrashLoopBackOff: back-off 5m0s restarting failed container [previous]',
  ])
  const noted = { terminated: { exitCode: 137, reason: 'OOMKilled', message: 'out of memory\n' } }
  assert.deepEqual(found({ state: noted }), ['web exited with 137 (OOMKilled): out of memory [current]'])
  assert.deepEqual(found({ state: { terminated: { exitCode: 0, reason: 'Completed' } } }), [])
})

test('a container that runs and is not ready may say why in this run, or in the one that failed before', () => {
  assert.deepEqual(found({ state: { running: {} }, ready: false }), ['web runs, and is not ready [current]'])
  assert.deepEqual(found({ state: { running: {} }, ready: false, lastState: crashed }), [
    'web runs, and is not ready; before, it exited with 1 (Error) [previous, current]',
  ])
  assert.deepEqual(found({ state: { running: {} }, ready: true, lastState: crashed }), [])
})

test('a container that has never run has a reason and no log; one that waits for others is not the cause', () => {
  const noImage = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "web:9"' } }
  assert.deepEqual(found({ state: noImage }), ['web waits: ImagePullBackOff: Back-off pulling image "web:9" []'])
  const initContainerStatuses = [
    { name: 'proxy', state: { running: {} }, ready: true },
    { name: 'done', state: { terminated: { exitCode: 0 } }, ready: true },
    { name: 'migrate', state: { running: {} }, ready: false },
  ]
  const initializing = { state: { waiting: { reason: 'PodInitializing' } } }
  assert.deepEqual(found(initializing, { phase: 'Pending', initContainerStatuses }), ['migrate runs [current]'])
  assert.deepEqual(found({ state: { waiting: { reason: 'ContainerCreating' } } }), [])
})

test('of a pod that is bound to no node, the scheduler says why', () => {
  const message = '0/3 nodes are available: 3 Insufficient cpu.'
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }]
  const { state, message: shown } = livePod(pod([], { phase: 'Pending', conditions }), 'owner')
  assert.deepEqual([state, shown], ['progressing', `Unschedulable: ${message}`])
})

test('a log is of the container that fails unless another is named, also of an init container', () => {
  const spec = { containers: [{ name: 'web' }, { name: 'proxy' }], initContainers: [{ name: 'migrate' }] }
  const initContainerStatuses = [{ name: 'migrate', state: crashed }]
  const failing = pod([], { initContainerStatuses }, spec)
  assert.deepEqual(namesOfContainers(failing), ['web', 'proxy', 'migrate'])
  assert.equal(namedOrFailing(failing, undefined), 'migrate')
  assert.equal(namedOrFailing(failing, 'proxy'), 'proxy')
  assert.equal(namedOrFailing(pod([], {}, spec), undefined), 'web')
})

test('pods are taken in turns of their workloads, those that fail first; a pod that a unit has applied is one, too', () => {
  const of = (owner: string, name: string, state: 'ready' | 'failed' | 'progressing') => ({
    ...{ owner, namespace: 'default', name, state, message: '', images: [], containers: [], restarts: 0 },
  })
  const [web, db] = ['default_web_apps_Deployment', 'default_db_apps_StatefulSet']
  const pods = [
    of(web, 'web-1', 'ready'),
    of(web, 'web-2', 'progressing'),
    of(web, 'web-3', 'failed'),
    of(web, 'web-4', 'failed'),
    of(db, 'db-0', 'progressing'),
  ]
  const object = { namespace: 'default', message: '', state: 'failed' } as const
  const objects = [
    { ...object, id: web, kind: 'Deployment', name: 'web' },
    { ...object, id: 'default_once__Pod', kind: 'Pod', name: 'once' },
    { ...object, id: 'default_other_metrics.example.com_Pod', kind: 'Pod', name: 'other' },
  ]
  const all = podsIn(
    { pods: [...pods, of('default_set_apps_ReplicaSet', 'web-1', 'ready')], objects },
    { waitsForJobs: false },
  )
  assert.equal(all.length, 6)
  const names = selectUnready(all).map(({ name }) => name)
  assert.deepEqual(names, ['once', 'web-3', 'db-0', 'web-4', 'web-2'])
})

test('while a unit waits for its Jobs, a pod of a Job is ready once it has completed, and what it writes is of interest', () => {
  const of = (owner: string, name: string, message: string) => ({
    ...{ owner, namespace: 'default', name, state: 'ready' as const, message, images: [], containers: [], restarts: 0 },
  })
  const job = 'default_migrate_batch_Job'
  const pods = [
    of(job, 'runs', 'running'),
    of(job, 'done', 'completed'),
    of('default_web_apps_Deployment', 'web', 'running'),
  ]
  const unready = (waitsForJobs: boolean) =>
    selectUnready(podsIn({ pods, objects: [] }, { waitsForJobs })).map(({ name }) => name)
  assert.deepEqual([unready(true), unready(false)], [['runs'], []])
  const running = pod([{ name: 'web', ready: true, state: { running: {} } }])
  assert.deepEqual(failingContainers(running), [])
  const [container] = failingContainers(running, { toEnd: true })
  assert.deepEqual([container?.message, container?.runs], ['runs', ['current']])
})

test('a unit may be held by pods if it waits for objects that have some', () => {
  const unit = (reason: string, status: string, id: string, metadata = {}): KubernetesObject =>
    ({
      ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
      metadata: { name: 'web', generation: 1, ...metadata },
      status: {
        observedGeneration: 1,
        conditions: [{ type: 'Ready', status, reason }],
        inventory: { entries: [{ id }] },
      },
    }) as unknown as KubernetesObject
  const deployment = 'default_web_apps_Deployment'
  assert.equal(isHeldByPods(unit('HealthCheckFailed', 'False', deployment)), true)
  assert.equal(isHeldByPods(unit('Progressing', 'Unknown', 'default_once__Pod')), true)
  assert.equal(isHeldByPods(unit('HealthCheckFailed', 'False', 'default_web__PersistentVolumeClaim')), false)
  assert.equal(isHeldByPods(unit('BuildFailed', 'False', deployment)), false)
  assert.equal(isHeldByPods(unit('ReconciliationSucceeded', 'True', deployment)), false)
  const deletionTimestamp = '2026-11-29T22:00:00Z'
  assert.equal(isHeldByPods(unit('Progressing', 'Unknown', deployment, { deletionTimestamp })), false)
})
