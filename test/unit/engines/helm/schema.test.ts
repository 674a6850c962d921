import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HelmError } from '../../../../lib/engines/helm/helm-error.ts'
import { validateValues } from '../../../../lib/engines/helm/schema/validate-values.ts'
import { render } from './chart-of.ts'

const refused = async (schema: unknown, values: string, files: Record<string, string> = {}): Promise<string> => {
  try {
    await render({ 'values.schema.json': JSON.stringify(schema), ...files }, values, { validate: validateValues })
    return ''
  } catch (error) {
    assert.ok(error instanceof HelmError)
    return error.message.replace(
      /^values don't meet the specifications of the schema\(s\) in the following chart\(s\):\n/,
      '',
    )
  }
}

test('values are held against the schema, with the words of helm (HR-147)', async () => {
  const schema = {
    type: 'object',
    required: ['image'],
    properties: {
      replicas: { type: 'integer', minimum: 1, maximum: 70_000 },
      image: {
        type: 'object',
        additionalProperties: false,
        properties: { tag: { type: ['string', 'null'], pattern: '^v' } },
      },
      mode: { enum: ['a', 'b'] },
      names: { type: 'array', uniqueItems: true, minItems: 2 },
    },
  }
  assert.equal(await refused(schema, 'image: {tag: v1}\nreplicas: 2'), '')
  assert.equal(await refused(schema, ''), "web:\n- at '': missing property 'image'\n")
  assert.equal(
    await refused(schema, "image: {tag: '1', 'x~/y': 1}\nreplicas: 1.5\nmode: c\nnames: [1, 1]"),
    [
      'web:',
      "- at '/image': validation failed",
      "  - at '/image/tag': '1' does not match pattern '^v'",
      "  - at '/image': additional properties 'x~/y' not allowed",
      "- at '/replicas': got number, want integer",
      "- at '/mode': value must be one of 'a', 'b'",
      "- at '/names': items at 0 and 1 are equal\n",
    ].join('\n'),
  )
  assert.equal(
    await refused(schema, 'image: {}\nreplicas: 100000'),
    "web:\n- at '/replicas': maximum: got 100,000, want 70,000\n",
  )
})

test('combined schemas report the faults of each (HR-147)', async () => {
  const schema = {
    properties: { a: { anyOf: [{ type: 'string' }, { type: 'object', required: ['x'] }] }, b: { $ref: '#/$defs/b' } },
    $defs: { b: { oneOf: [{ type: 'number' }, { minimum: 0 }], not: { const: 3 } } },
  }
  assert.equal(
    await refused(schema, 'a: {}\nb: 3'),
    [
      'web:',
      "- at '/a': 'anyOf' failed",
      "  - at '/a': got object, want string",
      "  - at '/a': missing property 'x'",
      "- at '/b': validation failed",
      "  - at '/b': 'not' failed",
      "  - at '/b': 'oneOf' failed, subschemas 0, 1 matched\n",
    ].join('\n'),
  )
})

test('subcharts have schemas of their own (HR-147)', async () => {
  const files = {
    'charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
    'charts/sub/values.schema.json': '{"properties": {"a": {"type": "string"}}}',
  }
  assert.equal(
    await refused({ properties: { b: { type: 'string' } } }, 'b: 1\nsub: {a: 1}', files),
    "web:\n- at '/b': got number, want string\nsub:\n- at '/a': got number, want string\n",
  )
})

test('the drafts differ as their documents say (HR-147)', async () => {
  const draft4 = {
    $schema: 'http://json-schema.org/draft-04/schema#',
    properties: { max: { maximum: 3, exclusiveMaximum: true } },
  }
  assert.equal(await refused(draft4, 'max: 3'), "web:\n- at '/max': exclusiveMaximum: got 3, want 3\n")
  const draft7 = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { a: { format: 'ipv4', $comment: '' }, b: { if: { const: 1 }, else: false } },
  }
  assert.equal(
    await refused(draft7, 'a: 1.2.3\nb: 2'),
    "web:\n- at '/a': '1.2.3' is not valid ipv4: expected four decimals\n- at '/b': false schema\n",
  )
  const draft2020 = { properties: { a: { format: 'ipv4' } }, unevaluatedProperties: false }
  assert.equal(await refused(draft2020, 'a: 1.2.3\nb: 1'), "web:\n- at '/b': false schema\n")
})

test('what follows the # of a draft is ignored (HR-147)', async () => {
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#((', properties: { a: { type: 'string' } } }
  assert.equal(await refused(schema, 'a: 1'), "web:\n- at '/a': got number, want string\n")
})

test('invalid and unavailable schemas are reported (HR-147)', async () => {
  assert.match(
    await refused({ type: 'strin' }, ''),
    /^web:\n"file:\/\/\/values.schema.json#" is not valid against metaschema: jsonschema validation failed with 'https:\/\/json-schema.org\/draft\/2020-12\/schema#'\n/,
  )
  assert.equal(
    await refused({ $ref: '#/$defs/none' }, ''),
    'web:\njson-pointer in "file:///values.schema.json#/$defs/none" not found',
  )
  assert.equal(
    await refused({ $ref: 'https://example.com/s.json' }, ''),
    'web:\nfailing loading "https://example.com/s.json": no URLLoader registered for "https://example.com/s.json"',
  )
})

test('a schema may refer to itself, and its expressions take no exponential time (HR-147)', async () => {
  const tree = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', additionalProperties: { $ref: '#/$defs/node' } } },
  }
  assert.equal(await refused(tree, 'a: {b: {c: 1}}'), "web:\n- at '/a/b/c': got number, want object\n")
  assert.match(
    await refused({ properties: { a: { pattern: '^(a+)+$' } } }, `a: ${'a'.repeat(40)}!`),
    /does not match pattern/,
  )
})
