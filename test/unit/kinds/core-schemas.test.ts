/** Our definitions of Kubernetes' own kinds against the schemas that a kube-apiserver publishes (`test/recorders/core-schemas.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { builtInKinds } from '../../../lib/kinds/all.ts'
import { wholeSchemaOf } from '../../../lib/kinds/metadata.ts'

const recorded: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(new URL('core-schemas.recorded.json', import.meta.url), 'utf8'),
)

for (const kind of builtInKinds.filter(({ native }) => native))
  test(`${kind.kind} is declared as Kubernetes declares it`, () => {
    assert.deepEqual(comparable(wholeSchemaOf(kind.versions[0]!)), comparable(recorded[kind.kind]))
  })

/**
 * Descriptions and defaults are ours; what Kubernetes knows from its Go types, not from the schema (that fieldsV1 is kept as
 * it is, that times may be null), stands in ours. Every object has metadata, whether the schema says so or not.
 */
const comparable = (schema: unknown): unknown =>
  JSON.parse(
    JSON.stringify(schema, (key, value) => {
      if (key === 'description' && typeof value === 'string') return undefined
      if (key === 'fieldsV1') return {}
      if ((key === 'default' && value !== undefined && typeof value !== 'object') || key === 'nullable')
        return undefined
      return key === 'required' && Array.isArray(value) ? value.filter(name => name !== 'metadata').toSorted() : value
    }),
  )
