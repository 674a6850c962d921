import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../lib/kinds/object.ts'
import { jobCompletion } from '../../../lib/kstatus/job.ts'
import { kstatus } from '../../../lib/kstatus/kstatus.ts'
import { KStatusError } from '../../../lib/kstatus/result.ts'
import { needsCorpus, readJsonLines } from '../../conformance/corpus.ts'

interface Case {
  readonly id?: string
  readonly object: KubernetesObject
  readonly status?: string
  readonly message?: string
  readonly conditions?: readonly { readonly reason?: string; readonly message?: string }[]
  readonly error?: string
}

/** The time of the recording: the age of a Pod counts. */
const recordedAt = Date.parse('2026-11-21T10:53:00Z')

test('KS-093 tells the status of objects as kstatus does', needsCorpus('kstatus'), () => {
  for (const file of ['cases', 'upstream'])
    for (const { id, object, error, ...expected } of readJsonLines<Case>(`kstatus/${file}.jsonl`)) {
      if (error) {
        assert.throws(() => kstatus(object, recordedAt), new KStatusError(error), id)
        continue
      }
      const { status, message } = expected
      const conditions = expected.conditions?.map(condition => ({ reason: '', message: '', ...condition }))
      assert.deepEqual(kstatus(object, recordedAt), { status, message, conditions }, id ?? JSON.stringify(object))
    }
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
