import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobCompletion } from '../../../../lib/engines/kstatus/job.ts'
import { kstatus } from '../../../../lib/engines/kstatus/kstatus.ts'
import { KStatusError } from '../../../../lib/engines/kstatus/result.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { corpusFile, needsCorpus } from '../../../conformance/corpus.ts'
import { resultsOf } from '../../../conformance/suite.ts'
import { suite } from '../../../conformance/suites/kstatus.ts'

test('KS-093 reports the status of objects as kstatus does', needsCorpus('kstatus'), async () => {
  const results = await Array.fromAsync(resultsOf(suite, corpusFile('kstatus')))
  assert.deepEqual(
    results.filter(({ problem }) => problem),
    [],
  )
})

test('fails on what leaves the status open', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, status: { phase: 'Odd' } }
  assert.throws(() => kstatus(pod, 0), new KStatusError('unknown phase Odd'))
  const told = (status: unknown, generation?: number) => () =>
    kstatus({ apiVersion: 'a/v1', kind: 'A', metadata: { name: 'x', generation }, status }, 0)
  const malformed: [status: unknown, message: string][] = [
    ['x', 'cannot restore struct from: string'],
    [{ conditions: 'x' }, 'cannot restore slice from string'],
    [{ conditions: { a: 1 } }, 'cannot restore slice from map'],
    [{ conditions: ['x'] }, 'cannot restore struct from: string'],
    [{ conditions: [{ type: 'Ready', status: true }] }, 'unrecognized type: string'],
    [{ conditions: [{ type: 'Ready', status: 1 }] }, 'cannot convert int64 to v1.ConditionStatus'],
    [{ conditions: [{ type: 1 }] }, 'cannot convert int64 to string'],
    [{ conditions: true }, 'cannot restore slice from bool'],
    [['x'], 'cannot restore struct from: slice'],
  ]
  for (const [status, message] of malformed) assert.throws(told(status), new KStatusError(message))
  assert.equal(new KStatusError('x').name, 'KStatusError')
})

test('a generation that is no number is reported as client-go reports it', () => {
  const told = (content: object) => () =>
    kstatus({ apiVersion: 'a/v1', kind: 'A', metadata: { name: 'x', generation: 1 }, ...content }, 0)
  const path = '.status.observedGeneration accessor error:'
  const malformed: [status: unknown, message: string][] = [
    [{ observedGeneration: 1.5 }, `${path} 1.5 is of the type float64, expected int64`],
    [{ observedGeneration: true }, `${path} true is of the type bool, expected int64`],
    [{ observedGeneration: null }, `${path} <nil> is of the type <nil>, expected int64`],
    [
      { observedGeneration: { b: 1, a: [1, 'x'] } },
      `${path} map[a:[1 x] b:1] is of the type map[string]interface {}, expected int64`,
    ],
    [{ observedGeneration: [1, null] }, `${path} [1 <nil>] is of the type []interface {}, expected int64`],
    ['x', `${path} x is of the type string, expected map[string]interface{}`],
  ]
  for (const [status, message] of malformed)
    assert.throws(told({ status }), new KStatusError(`looking up status.observedGeneration from resource: ${message}`))
  const metadata = 'x' as unknown as KubernetesObject['metadata']
  assert.throws(
    told({ metadata }),
    new KStatusError(
      'looking up metadata.generation from resource: .metadata.generation accessor error: x is of the type string, expected map[string]interface{}',
    ),
  )
  for (const content of [{}, { status: null }, { status: {} }])
    assert.equal(told(content)().message, 'Resource is current', JSON.stringify(content))
})

/** What is told of an object: its status, the reason of the condition that goes with it, and the message. */
const told = (apiVersion: string, kind: string, content: object, now = 0): string => {
  const { status, conditions, message } = kstatus({ apiVersion, kind, metadata: { name: 'x' }, ...content }, now)
  return [status, ...conditions.map(({ reason }) => reason), message].join(' | ')
}

test('fields that are null are not there', () => {
  assert.equal(told('apps/v1', 'StatefulSet', { spec: null }), 'InProgress | LessReplicas | Replicas: 0/1')
  assert.equal(told('apps/v1', 'StatefulSet', { spec: { replicas: '3' } }), 'InProgress | LessReplicas | Replicas: 0/1')
})

test('a Pod that nothing can place fails after 15 seconds', () => {
  const pending = (conditions: object[], age?: number) => {
    const now = Date.parse('2026-01-01T00:01:00Z')
    const creationTimestamp = age === undefined ? undefined : new Date(now - age * 1000).toISOString()
    return told(
      'v1',
      'Pod',
      { metadata: { name: 'x', creationTimestamp }, status: { phase: 'Pending', conditions } },
      now,
    )
  }
  const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }
  const initialized = { type: 'Initialized', status: 'True' }
  const failed = 'Failed | PodUnschedulable | Pod could not be scheduled'
  assert.equal(pending([initialized, scheduled], 14), 'InProgress | PodNotScheduled | Pod has not been scheduled')
  assert.equal(pending([initialized, scheduled], 15), failed)
  assert.equal(pending([scheduled]), failed)
  const waiting = 'InProgress | PodPending | Pod is in the Pending phase'
  for (const other of [{ type: 'Other' }, { status: 'True' }, { reason: 'SchedulingGated' }])
    assert.equal(pending([{ ...scheduled, ...other }], 60), waiting, JSON.stringify(other))
  assert.equal(pending([], 60), waiting)
})

test('a Pod fails when containers crash again and again, which are named', () => {
  const running = (...containerStatuses: object[]) =>
    told('v1', 'Pod', { status: { phase: 'Running', containerStatuses } })
  const state = { waiting: { reason: 'CrashLoopBackOff' } }
  assert.equal(
    running({ name: 'a', state }, { name: 'b', state: { running: {} } }, { name: 'c', state }),
    'Failed | ContainerCrashLooping | Containers in CrashLoop state: a,c',
  )
  assert.equal(running({ state }), 'InProgress | PodRunningNotReady | Pod is running but is not Ready')
})

test('a Deployment is rolled out when its Progressing condition says so', () => {
  const replicas = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 }
  const deployed = (conditions: object[], status: object = replicas) =>
    told('apps/v1', 'Deployment', {
      spec: { progressDeadlineSeconds: 600 },
      status: { ...status, conditions: [{ type: 'Available', status: 'True' }, ...conditions] },
    })
  const progressing = { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }
  assert.equal(deployed([progressing]), 'Current | Deployment is available. Replicas: 1')
  for (const other of [{ type: 'Other' }, { status: 'False' }, { reason: 'ReplicaSetUpdated' }])
    assert.equal(
      deployed([{ ...progressing, ...other }]),
      'InProgress | ReplicaSetNotAvailable | ReplicaSet not Available',
      JSON.stringify(other),
    )
  assert.equal(deployed([progressing, { type: 'Other', reason: 'ProgressDeadlineExceeded' }]), deployed([progressing]))
  assert.equal(deployed([progressing], { ...replicas, readyReplicas: 0 }), 'InProgress | LessReady | Ready: 0/1')
})

test('a DaemonSet needs its generations, and its Pods', () => {
  const daemons = (metadata: object, status: object) =>
    told('apps/v1', 'DaemonSet', { metadata: { name: 'x', ...metadata }, status })
  assert.equal(
    daemons({}, { observedGeneration: 1 }),
    'InProgress | NoGeneration | DaemonSet metadata.generation not found',
  )
  assert.equal(
    daemons({ generation: 1 }, { observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 1 }),
    'InProgress | LessCurrent | Current: 1/2',
  )
  // kstatus takes -1 for a number that is not there.
  for (const desired of [{}, { desiredNumberScheduled: -1 }])
    assert.equal(
      daemons({ generation: 1 }, { observedGeneration: 1, ...desired }),
      'InProgress | NoDesiredNumber | Missing .status.desiredNumberScheduled',
    )
})

test('kinds that have moved from extensions are judged as they are in apps', () => {
  assert.equal(told('extensions/v1beta1', 'Deployment', {}), 'InProgress | LessReplicas | Replicas: 0/1')
  assert.equal(told('extensions/v1beta1', 'ReplicaSet', {}), 'InProgress | LessLabelled | Labelled: 0/1')
  assert.match(told('extensions/v1beta1', 'DaemonSet', {}), /metadata.generation not found/)
})

test('a Ready condition that is neither true, false nor unknown reports nothing', () => {
  const ready = (status: string) =>
    told('a/v1', 'A', { status: { conditions: [{ type: 'Ready', status, reason: 'R', message: 'm' }] } })
  assert.deepEqual(['True', 'False', 'Unknown', 'Odd'].map(ready), [
    'Current | Resource is Ready',
    'InProgress | R | m',
    'InProgress | R | m',
    'Current | Resource is current',
  ])
})

test('a definition that is refused has failed, one that is being installed has not', () => {
  const established = (status: string, reason: string) =>
    told('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      status: { conditions: [{ type: 'Established', status, reason, message: 'm' }] },
    })
  assert.equal(established('False', 'NotAccepted'), 'Failed | NotAccepted | m')
  assert.equal(established('False', 'Installing'), 'InProgress | Installing | Install in progress')
  assert.equal(established('True', 'InitialNamesAccepted'), 'Current | CRD is established')
})

test('a Job is complete when it has completed or is suspended, not as soon as it runs', () => {
  const job = (spec: object, status: object) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'x', namespace: 'x' },
    spec,
    status,
  })
  const complete = [{ type: 'Complete', status: 'True' }]
  const failed = [{ type: 'Failed', status: 'True' }]
  const outcomes = [
    job({ suspend: true }, {}),
    job({ parallelism: 2 }, {}),
    job({}, { startTime: '2026-01-01T00:00:00Z', active: 1, failed: 2 }),
    job({ completions: 3 }, { startTime: '2026-01-01T00:00:00Z', succeeded: 3, conditions: complete }),
    job({ parallelism: 2 }, { startTime: '2026-01-01T00:00:00Z', succeeded: 2, conditions: complete }),
    job({}, { startTime: '2026-01-01T00:00:00Z', failed: 1, conditions: failed }),
  ].map(object => {
    const { status, conditions, message } = jobCompletion(object)
    return [status, ...conditions.map(({ reason }) => reason), message].join(' | ')
  })
  assert.deepEqual(outcomes, [
    'Current | Job is suspended',
    'InProgress | JobNotStarted | Job not started. active: 0/2',
    'InProgress | JobInProgress | Job in progress. success:0, active: 1, failed: 2',
    'Current | Job Completed. succeeded: 3/3',
    'Current | Job Completed. succeeded: 2/2',
    'Failed | JobFailed | Job Failed. failed: 1/1',
  ])
})
