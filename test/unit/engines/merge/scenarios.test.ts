/** Random sequences of applies, updates and patches, with the answers of a real kube-apiserver (`test/recorders/merge.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ApplyConflict } from '../../../../lib/engines/merge/conflict.ts'
import type { Step } from './thing.ts'
import { thing } from './thing.ts'
import { asWrite, stable, withSortedEntries, world } from './world.ts'

interface Recorded {
  readonly step: Step
  readonly code: number
  readonly object?: ReturnType<typeof stable>
  readonly message?: string
  readonly causes?: readonly { reason: string; message: string; field: string }[]
}

/** More of them can be recorded elsewhere, and tried once. */
const file = process.env.KEELSON_MERGE_SCENARIOS ?? new URL('scenarios.recorded.json', import.meta.url)
const scenarios: Recorded[][] = JSON.parse(readFileSync(file, 'utf8'))

test('ends up where a kube-apiserver does, step by step', () => {
  for (const [index, scenario] of scenarios.entries()) {
    const { write, live } = world(thing)
    for (const [number, { step, code, object, message, causes }] of scenario.entries()) {
      // Kubernetes 1.36 leaves a null where an apply empties an object, and then mostly refuses its own work. Ours stays
      // an empty object, so what follows differs for good.
      if ((message ?? JSON.stringify(object)).includes('null')) break
      const answer = write(asWrite(step, live()))
      const where = `scenario ${index}, step ${number}: ${JSON.stringify(scenario.slice(0, number + 1).map(({ step }) => step))}`
      assert.equal(answer.code, code, `${where}\n${message}`)
      if (object) assert.deepEqual(withSortedEntries(stable(answer.object!)), withSortedEntries(object), where)
      if (code === 409) {
        assert.ok(answer.error instanceof ApplyConflict)
        assert.equal(answer.error.message, message)
        assert.deepEqual(sorted(answer.error.causes), sorted(causes!), where)
      }
    }
  }
})

const sorted = (causes: NonNullable<Recorded['causes']>) =>
  causes.map(cause => JSON.stringify(cause, ['reason', 'message', 'field'])).sort()
