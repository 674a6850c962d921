/** Our definitions of Kubernetes' own kinds against the schemas that a kube-apiserver publishes (`test/recorders/core-schemas.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { builtInKinds } from '../../../../lib/foundations/kinds/all.ts'
import { wholeSchemaOf } from '../../../../lib/foundations/kinds/metadata.ts'

const recorded: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(new URL('core-schemas.recorded.json', import.meta.url), 'utf8'),
)

for (const kind of builtInKinds.filter(({ native }) => native))
  test(`${kind.kind} is declared as Kubernetes declares it`, () => {
    assert.deepEqual(comparable(wholeSchemaOf(kind.versions[0]!)), comparable(recorded[kind.kind]))
  })

/** What is kept as it is, whatever Kubernetes says of it. */
const unexplored: ReadonlySet<string> = new Set(['fieldsV1', 'openAPIV3Schema', 'webhook'])

/**
 * Descriptions and defaults are ours; what Kubernetes knows from its Go types, not from the schema (that fieldsV1 is kept as
 * it is, and schemas of user-defined kinds; that times may be null), stands in ours. Every object has metadata, whether the schema says so or not.
 */
const comparable = (schema: unknown): unknown =>
  JSON.parse(
    JSON.stringify(schema, (key, value) => {
      if (key === 'description' && typeof value === 'string') return undefined
      if (unexplored.has(key)) return {}
      if ((key === 'default' && value !== undefined && typeof value !== 'object') || key === 'nullable')
        return undefined
      return key === 'required' && Array.isArray(value) ? value.filter(name => name !== 'metadata').toSorted() : value
    }),
  )
