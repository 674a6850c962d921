import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobCompletion } from '../../../lib/kstatus/job.ts'
import { kstatus } from '../../../lib/kstatus/kstatus.ts'
import { KStatusError } from '../../../lib/kstatus/result.ts'
import { corpusFile, needsCorpus } from '../../conformance/corpus.ts'
import { suite } from '../../conformance/suites/kstatus.ts'

test('KS-093 tells the status of objects as kstatus does', needsCorpus('kstatus'), async () => {
  const results = await Array.fromAsync(suite.run(corpusFile('kstatus')))
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
  ]
  for (const [status, message] of malformed) assert.throws(told(status), new KStatusError(message))
  const accessor = 'looking up status.observedGeneration from resource: .status.observedGeneration accessor error: '
  assert.throws(told('x', 1), new KStatusError(`${accessor}x is of the type string, expected map[string]interface{}`))
  assert.throws(
    told({ observedGeneration: 1.5 }, 1),
    new KStatusError(`${accessor}1.5 is of the type float64, expected int64`),
  )
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
  const told = [
    job({ suspend: true }, {}),
    job({ parallelism: 2 }, {}),
    job({}, { startTime: '2026-01-01T00:00:00Z', active: 1 }),
    job({ completions: 3 }, { startTime: '2026-01-01T00:00:00Z', succeeded: 3, conditions: complete }),
    job({}, { startTime: '2026-01-01T00:00:00Z', failed: 1, conditions: failed }),
  ].map(object => {
    const { status, message } = jobCompletion(object)
    return `${status}: ${message}`
  })
  assert.deepEqual(told, [
    'Current: Job is suspended',
    'InProgress: Job not started. active: 0/2',
    'InProgress: Job in progress. success:0, active: 1, failed: 0',
    'Current: Job Completed. succeeded: 3/3',
    'Failed: Job Failed. failed: 1/1',
  ])
})
