/** Every keyword that the schema of a user-defined kind may use, with what a real kube-apiserver says (`test/recorders/keywords.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Kind } from '../../../../lib/foundations/kinds/kind.ts'
import { decode } from '../../../../lib/foundations/kinds/schema/decode.ts'
import type { FieldError } from '../../../../lib/foundations/kinds/schema/field-error.ts'
import { validateChange, validateNew } from '../../../../lib/foundations/kinds/schema/validate.ts'
import { validateSchema } from '../../../../lib/foundations/kinds/schema/validate-schema.ts'
import { checkRules } from '../../../../lib/hub/store/validation-rules.ts'
import { changes, schema, specs } from './keyword-cases.ts'

const recorded: { created: FieldError[][]; changed: FieldError[][] } = JSON.parse(
  readFileSync(new URL('keywords.recorded.json', import.meta.url), 'utf8'),
)

const kind: Kind = {
  group: 'test.keelson.dev',
  kind: 'Keyword',
  plural: 'keywords',
  singular: 'keyword',
  shortNames: [],
  categories: [],
  namespaced: true,
  hasGeneration: true,
  versions: [{ name: 'v1', storage: true, schema, columns: [] }],
}
const served = { kind, version: kind.versions[0]! }

const object = (spec: unknown) => {
  const metadata = { name: 'one', namespace: 'default', resourceVersion: '1' }
  return decode(served, { apiVersion: 'test.keelson.dev/v1', kind: 'Keyword', metadata, spec }).object
}

for (const [index, spec] of specs.entries())
  test(`says of ${JSON.stringify(spec)} what a kube-apiserver does`, () => {
    assert.deepEqual(sorted(validateNew(served, object(spec), checkRules)), sorted(recorded.created[index]!))
  })

for (const [index, [before, after]] of changes.entries())
  test(`says of a change to ${JSON.stringify(after)} what a kube-apiserver does`, () => {
    assert.deepEqual(
      sorted(validateChange(served, object(after), object(before), undefined, checkRules)),
      sorted(recorded.changed[index]!),
    )
  })

const sorted = (errors: readonly FieldError[]) =>
  errors
    .map(({ reason, message, field }) => ({ reason, message, field }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

test('bounds the depth it looks into', () => {
  const nested = (levels: number): object => Array.from({ length: levels }).reduce<object>(inner => ({ a: inner }), {})
  const recursive = { type: 'object', additionalProperties: {} } as { additionalProperties: object }
  recursive.additionalProperties = recursive
  const [error] = validateSchema(recursive as never, nested(50_000))
  assert.match(error!.message, /nested deeper than 128 levels/)
})
