/** What is refused before an object is applied: Kubernetes stops at the first problem and shows values; ours tells all, and no value. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireApplicable } from '../../../../lib/engines/merge/applicable.ts'
import { maxDepth } from '../../../../lib/foundations/kinds/schema/depth.ts'
import type { StructuralSchema } from '../../../../lib/foundations/kinds/schema/schema.ts'

const list = (items: StructuralSchema, listType?: 'set' | 'map' | 'atomic', keys?: string[]): StructuralSchema => ({
  type: 'array',
  items,
  ...(listType && { 'x-kubernetes-list-type': listType }),
  ...(keys && { 'x-kubernetes-list-map-keys': keys }),
})
const text: StructuralSchema = { type: 'string' }
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    text,
    flag: { type: 'boolean' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    object: { type: 'object', properties: { text } },
    map: { type: 'object', additionalProperties: text },
    either: { 'x-kubernetes-int-or-string': true, type: 'string' },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { text } },
    list: list(text),
    set: list(text, 'set'),
    items: list({ type: 'object', properties: { name: text, port: { type: 'integer' }, value: text } }, 'map', [
      'name',
      'port',
    ]),
  },
}

const problemsOf = (object: unknown): readonly string[] => {
  try {
    requireApplicable(schema, object)
    return []
  } catch (error) {
    const { name, message } = error as Error
    assert.equal(name, 'NotApplicable')
    return message.startsWith('errors:\n  ') ? message.slice('errors:\n  '.length).split('\n  ') : [message]
  }
}

test('takes what fits its schema, and null in place of anything', () => {
  const fitting = [
    { text: 'a', flag: false, count: 1, ratio: 0.5, object: { text: 'a' }, map: { a: 'b' }, list: ['a', 'a'] },
    { either: 1, free: { other: [1], text: 5 }, set: ['a', 'b'], items: [{ name: 'a' }, { name: 'a', port: 1 }] },
    Object.fromEntries(Object.keys(schema.properties!).map(name => [name, null])),
    { list: [null] },
  ]
  for (const object of fitting) assert.deepEqual(problemsOf(object), [], JSON.stringify(object))
})

test('names every value of a type other than its schema says, by its place and type', () => {
  assert.deepEqual(
    problemsOf({
      text: { hush: 1 },
      flag: 'hush',
      count: 'hush',
      ratio: true,
      object: ['hush'],
      map: { a: 1 },
      list: [{ hush: 1 }, 'a', ['hush']],
      set: { hush: 1 },
      items: [{ name: 'a', value: 1 }],
      other: 'hush',
    }),
    [
      '.text: expected string, got map',
      '.flag: expected boolean, got string',
      '.count: expected numeric (int or float), got string',
      '.ratio: expected numeric (int or float), got boolean',
      '.object: expected map, got list',
      '.map.a: expected string, got number',
      '.list[0]: expected string, got map',
      '.list[2]: expected string, got list',
      '.set: expected list, got map',
      '.items[name="a"].value: expected string, got number',
      '.other: field not declared in schema',
    ],
  )
  assert.deepEqual(problemsOf('hush'), [': expected map, got string'])
})

test('names items that are there twice, or cannot be distinguished', () => {
  assert.deepEqual(problemsOf({ set: ['a', 'a', null, ['a'], { a: 1 }] }), [
    '.set: duplicate entries for key [="a"]',
    ".set: element 2: associative list without keys has an element that's an explicit null",
    '.set: element 3: not supported: associative list with lists as elements',
    ".set: element 4: associative list without keys has an element that's a map type",
  ])
  assert.deepEqual(problemsOf({ items: [{ name: 'a', port: 1 }, { port: 1, name: 'a' }, null, 'a', { value: 'x' }] }), [
    '.items: duplicate entries for key [name="a",port=1]',
    '.items: element 2: associative list with keys may not have a null element',
    '.items: element 3: associative list with keys may not have non-map elements',
    `.items: element 4: associative list with keys has an element that omits all key fields ["name" "port"] (and doesn't have default values for any key fields)`,
  ])
})

test('is nested no deeper than any object may be', () => {
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })
  const loop: StructuralSchema = { type: 'object' }
  Object.assign(loop, { additionalProperties: loop })
  requireApplicable(loop, nested(maxDepth))
  assert.throws(() => requireApplicable(loop, nested(maxDepth + 1)), {
    message: `${'.a'.repeat(maxDepth + 1)}: nested deeper than ${maxDepth} levels`,
  })
})
