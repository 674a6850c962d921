/** Comparisons, merges and sets of fields that writes hardly come to; what writes come to is held against a kube-apiserver. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare } from '../../../../lib/engines/merge/compare.ts'
import { type FieldSet, pathsOf } from '../../../../lib/engines/merge/field-set.ts'
import { fieldsOf, withNamedFields } from '../../../../lib/engines/merge/fields-of.ts'
import { decodeFields, describePath } from '../../../../lib/engines/merge/fields-v1.ts'
import { DuplicateItem, mergeValues } from '../../../../lib/engines/merge/merge-values.ts'
import type { StructuralSchema } from '../../../../lib/foundations/kinds/schema/schema.ts'

const text: StructuralSchema = { type: 'string' }
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    text,
    object: { type: 'object', properties: { a: text } },
    map: { type: 'object', additionalProperties: text },
    atomicMap: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
    list: { type: 'array', items: text },
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: text, value: text } },
    },
    free: { 'x-kubernetes-preserve-unknown-fields': true },
  },
}

const shown = (set: FieldSet): string => [...pathsOf(set)].map(describePath).join(' ')
const item = (value: string) => ({ name: 'x', value })

test('reports what was added, modified and removed', () => {
  const cases: readonly (readonly [before: object, after: object, added: string, modified: string, removed: string])[] =
    [
      [{ text: 'a' }, { text: 'a' }, '', '', ''],
      [{ text: 'a' }, { text: 'b' }, '', '.text', ''],
      [{ object: null }, { object: {} }, '', '.object', ''],
      [{ object: null }, { object: null }, '', '', ''],
      [{ object: null }, { object: { a: 'x' } }, '.object.a', '', ''],
      [{ object: { a: 'x' } }, { object: null }, '', '', '.object.a'],
      [{ object: {} }, { object: { a: 'x' } }, '.object.a', '', ''],
      [{}, { object: { a: 'x' } }, '.object .object.a', '', ''],
      [{ object: 'x' }, { object: { a: 'x' } }, '.object.a', '.object', ''],
      [{ object: { a: 'x' } }, { object: 'x' }, '', '.object', '.object.a'],
      [{ atomicMap: null }, { atomicMap: { a: 'x' } }, '', '.atomicMap', ''],
      [{ set: null }, { set: ['a'] }, '.set[="a"]', '', ''],
      [{ set: ['a'] }, { set: null }, '', '', '.set[="a"]'],
      [{ set: 'a' }, { set: ['a'] }, '.set[="a"]', '.set', ''],
      [{ list: null }, { list: ['a'] }, '', '.list', ''],
      [{ free: { a: 'x' } }, { free: { a: { b: 'y' } } }, '.free.a.b', '.free.a', ''],
      [{ free: { a: { b: 'y' } } }, { free: { a: ['x'] } }, '', '.free.a', '.free.a.b'],
      // Of items that are there more than once, which validation lets pass here and there, none is looked into.
      [{}, { items: [item('a'), item('b')] }, '.items .items[name="x"]', '', ''],
      [
        { items: [item('a')] },
        { items: [item('a'), item('b')] },
        '.items[name="x"]',
        '',
        '.items[name="x"] .items[name="x"].name .items[name="x"].value',
      ],
      [
        { items: [item('a'), item('b')] },
        { items: [item('a')] },
        '.items[name="x"] .items[name="x"].name .items[name="x"].value',
        '',
        '.items[name="x"]',
      ],
      [{ items: [item('a'), item('b')] }, { items: [item('a'), item('b')] }, '', '', ''],
      [{ items: [item('a'), item('b')] }, { items: [item('a'), item('c')] }, '', '.items[name="x"]', ''],
      [{ items: [item('a'), item('b')] }, { items: [] }, '', '', '.items[name="x"]'],
      [{ items: [] }, { items: [item('a'), item('b')] }, '.items[name="x"]', '', ''],
    ]
  for (const [before, after, ...expected] of cases) {
    const { added, modified, removed } = compare(schema, before, after)
    assert.deepEqual([added, modified, removed].map(shown), expected, JSON.stringify([before, after]))
  }
})

test('fields are leaves, items and what is empty; an item that is there twice is one leaf', () => {
  const cases: readonly (readonly [value: object, fields: string])[] = [
    [{ text: 'a', object: { a: 'x' }, map: { k: 'v' } }, '.text .map.k .object.a'.split(' ').sort().join(' ')],
    [{ object: {}, map: null, list: [], set: [] }, '.list .map .object'],
    [{ items: [item('a')] }, '.items[name="x"] .items[name="x"].name .items[name="x"].value'],
    [{ items: [item('a'), item('b')] }, '.items[name="x"]'],
  ]
  for (const [value, fields] of cases) assert.equal(shown(fieldsOf(schema, value)).split(' ').sort().join(' '), fields)
})

test('what the schema names can go as a whole, but no key of a map and no item for what is in them', () => {
  const set = decodeFields({
    'f:object': { 'f:a': {} },
    'f:map': { 'f:object': { 'f:a': {} } },
    'f:items': { 'k:{"name":"x"}': { 'f:value': {} } },
  })!
  assert.equal(
    shown(withNamedFields(schema, set)),
    '.items .map .object .items[name="x"].value .map.object.a .object.a',
  )
})

test('what is applied wins, and what is empty gives way to null', () => {
  const cases: readonly (readonly [live: object | undefined, applied: object, merged: object])[] = [
    [undefined, { text: 'a' }, { text: 'a' }],
    [{ text: 'a', list: ['a'] }, { list: ['b'] }, { text: 'a', list: ['b'] }],
    [
      { object: {}, set: [] },
      { object: null, set: null },
      { object: null, set: null },
    ],
    [
      { object: null, set: null },
      { object: {}, set: [] },
      { object: {}, set: [] },
    ],
    [
      { object: { a: 'x' }, set: ['a'] },
      { object: null, set: null },
      { object: { a: 'x' }, set: ['a'] },
    ],
    [
      { object: 'x', set: 'x' },
      { object: { a: 'x' }, set: ['a'] },
      { object: { a: 'x' }, set: ['a'] },
    ],
    [{ atomicMap: { a: 1 } }, { atomicMap: { b: 2 } }, { atomicMap: { b: 2 } }],
    [{ atomicMap: { a: 1 } }, { atomicMap: null }, { atomicMap: null }],
  ]
  for (const [live, applied, merged] of cases) assert.deepEqual(mergeValues(schema, live, applied), merged)
  assert.throws(
    () => mergeValues(schema, { set: [] }, { set: ['a', 'b', 'a'] }),
    (error: DuplicateItem) => {
      assert.ok(error instanceof DuplicateItem)
      assert.deepEqual([error.message, error.element], ['duplicate entries for key', 'v:"a"'])
      return true
    },
  )
})
