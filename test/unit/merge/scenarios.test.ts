/** Random sequences of applies, updates and patches, with the answers of a real kube-apiserver (`test/recorders/merge.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Step } from './thing.ts'
import { sortEntries, stable, world } from './world.ts'

interface Recorded {
  readonly step: Step
  readonly code: number
  readonly object?: { metadata: { managedFields?: unknown[] } }
  readonly message?: string
  readonly causes?: readonly { reason: string; message: string; field: string }[]
}

const scenarios: Recorded[][] = JSON.parse(
  readFileSync(process.env.KEELSON_MERGE_SCENARIOS ?? new URL('scenarios.recorded.json', import.meta.url), 'utf8'),
)

test('ends up where a kube-apiserver does, step by step', () => {
  for (const [index, scenario] of scenarios.entries()) {
    const { perform } = world()
    for (const [number, { step, code, object, message, causes }] of scenario.entries()) {
      // Kubernetes 1.36 leaves a null where an apply empties an object, and then mostly refuses its own work. Ours stays
      // an empty object, so what follows differs for good.
      if ((message ?? JSON.stringify(object)).includes('null')) break
      const answer = perform(step)
      const where = `scenario ${index}, step ${number}: ${JSON.stringify(scenario.slice(0, number + 1).map(({ step }) => step))}`
      assert.equal(answer.code, code, `${where}\n${message}`)
      if (object) assert.deepEqual(stable(answer.object!), sorted(object), where)
      if (code === 409) {
        assert.deepEqual(sortCauses(answer.error!.causes), sortCauses(causes!), where)
        if (causes!.length === 1) assert.equal(answer.error!.message, message)
      }
    }
  }
})

const sorted = (object: NonNullable<Recorded['object']>) => {
  const { managedFields, ...metadata } = object.metadata
  return { ...object, metadata: { ...metadata, ...(managedFields && { managedFields: sortEntries(managedFields) }) } }
}

const sortCauses = (causes: readonly { field: string; message: string }[]) =>
  causes.map(cause => JSON.stringify(cause, ['reason', 'message', 'field'])).sort()
