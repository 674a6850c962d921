/** Against what the real kustomize has: `node test/recorders/kustomize-field-specs.ts` records it anew. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEFAULT_FIELD_SPECS, NO_FIELD_SPECS } from '../../../../lib/engines/kustomize/default-field-specs.ts'
import { shownSpecs } from './shown-specs.ts'

test('works on the places that kustomize knows by itself', () => {
  const { nameReference, ...others } = DEFAULT_FIELD_SPECS
  const references = nameReference.map(({ referrers, ...target }) => ({ ...target, fieldSpecs: referrers }))
  const recorded = readFileSync(join(import.meta.dirname, 'default-field-specs.recorded.json'), 'utf8')
  assert.deepEqual(shownSpecs({ ...others, nameReference: references }), JSON.parse(recorded))
})

test('knows no places for a configuration that names none', () => {
  assert.deepEqual(Object.keys(NO_FIELD_SPECS), Object.keys(DEFAULT_FIELD_SPECS))
  assert.deepEqual(Object.values(NO_FIELD_SPECS).flat(), [])
})
