import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lackOf, shapeOf } from '../../cluster/flux-requests/shape.ts'

const ready = { type: 'Ready', status: 'True', message: 'fine', lastTransitionTime: '2026-01-01T00:00:00Z' }

test('keeps the relevant values, and the types of the others', () => {
  const object = {
    kind: 'Event',
    metadata: { name: 'site', uid: 'abc', managedFields: [{}], generation: 3 },
    spec: { suspend: true, prune: false, value: null },
    status: { conditions: [ready], lastHandledReconcileAt: '<now>' },
  }
  assert.deepEqual(shapeOf(object), {
    kind: 'Event',
    metadata: { name: 'site', uid: 'string', generation: 'number' },
    spec: { suspend: true, prune: 'boolean', value: null },
    status: {
      conditions: [{ type: 'Ready', status: 'True', message: 'string', lastTransitionTime: 'string' }],
      lastHandledReconcileAt: '<now>',
    },
  })
  assert.equal(shapeOf('site.18a0f3b2c4d5e6f7', 'name'), 'string')
})

test('accepts additional fields, in any order', () => {
  const shape = shapeOf([ready])
  assert.equal(lackOf([{ type: 'Stalled' }, { ...ready, message: 'other', more: 1 }], shape), undefined)
})

test('names what is missing, of another type or of another value', () => {
  const shape = shapeOf({ kind: 'A', items: [ready], size: 1 })
  assert.equal(lackOf({ kind: 'A', items: [ready] }, shape), '$.size is missing')
  assert.equal(lackOf({ kind: 'A', items: [ready], size: '1' }, shape), '$.size: "1" is not "number"')
  assert.equal(lackOf({ kind: 'B', items: [ready], size: 1 }, shape), '$.kind: "B" is not "A"')
  assert.match(lackOf({ kind: 'A', items: [], size: 1 }, shape)!, /^\$\.items: no item like \{"type":"Ready"/)
  assert.equal(lackOf({ kind: 'A', items: {}, size: 1 }, shape), '$.items: {} is no list')
  assert.equal(lackOf(null, shape), '$: null is no object')
})
