import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countFields, countOwned } from '../../../../lib/engines/merge/count-fields.ts'

const schema = {
  type: 'object',
  properties: {
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object' },
    },
    rules: { type: 'array', items: { type: 'object' } },
    labels: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
  },
} as const

test('counts what can have an owner of its own: fields, and items of lists that are distinguished', () => {
  assert.equal(countFields(schema, { a: 1, b: { c: 2 } }, 100), 4)
  assert.equal(countFields(schema, { ports: [{ name: 'a' }, { name: 'b' }] }, 100), 6)
})

test('what is atomic counts as one, however large', () => {
  assert.equal(countFields(schema, { rules: [{ a: 1, b: 2 }, { c: 3 }] }, 100), 2)
  assert.equal(countFields(schema, { labels: { a: 1, b: 2 } }, 100), 2)
})

test('stops soon behind the limit', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, { v: i }]))
  assert(countFields(schema, many, 10) > 10)
  assert.equal(countFields(schema, many, 2001), 2001)
  assert(countOwned(many, 10) > 10)
})

test('counts the fields that managedFields name, each with those below it', () => {
  assert.equal(countOwned({ 'f:data': { '.': {}, 'f:a': {} } }, 100), 3)
  assert.equal(countOwned(undefined, 100), 0)
})
