/** What a runner has read of its cluster reaches users as such a report, whatever it sends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveRead, LiveTree } from '../../../../lib/foundations/fleet/live.ts'
import { acceptLive } from '../../../../lib/hub/runners/accept-live.ts'

const accept = (read: LiveRead, found: object) =>
  acceptLive({ type: 'live', read, as: { user: 'jane', groups: ['devs'] } }, found)

test('of a tree users get what trees have, and as whom it was read', () => {
  const place = { namespace: 'default', name: 'a', message: '' } as const
  const tree: LiveTree = {
    objects: [{ id: 'default_a__ConfigMap', kind: 'ConfigMap', ...place, state: 'ready' }],
    ...{ more: 2, refused: ['pods is forbidden'] },
    pods: [{ owner: 'o', restarts: 1, images: ['i'], containers: ['c'], ...place, state: 'failed' }],
  }
  assert.deepEqual(accept({ what: 'tree' }, tree), { as: 'jane', ...tree })
  const strange = {
    objects: [{ state: 'splendid', script: 1 }, null],
    pods: [{ images: 'none' }],
    refused: 1,
    order: 'x',
  }
  const unnamed = { namespace: '', name: 'undefined', message: '', state: 'unknown' }
  assert.deepEqual(accept({ what: 'tree' }, strange), {
    ...{ as: 'jane', more: 0, refused: [] },
    objects: [{ id: 'undefined', kind: 'undefined', ...unnamed }],
    pods: [{ owner: 'undefined', restarts: 0, images: [], containers: [], ...unnamed }],
  })
  for (const none of [{}, { objects: 1, pods: [] }, { objects: [] }])
    assert.throws(() => accept({ what: 'tree' }, none), { code: 400 })
})

test('an object is the one that was to be read, and values of a Secret are masked once more', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'a' },
    data: { key: 'planted' },
  }
  assert.deepEqual(accept({ what: 'object', object: 'default_a__Secret' }, secret), {
    ...secret,
    metadata: { ...secret.metadata, annotations: {} },
    data: { key: '***' },
  })
  for (const other of ['default_b__Secret', 'default_a__ConfigMap', 'default_a_apps_Secret'])
    assert.throws(() => accept({ what: 'object', object: other }, secret), { code: 400 })
  assert.throws(() => accept({ what: 'object', object: 'default_a__Secret' }, { metadata: 1 }), { code: 400 })
})

test('events are objects, and a log is text of which the end counts', () => {
  const event = { metadata: { name: 'e' } }
  assert.deepEqual(accept({ what: 'events', object: 'x' }, { items: [event, 1, {}] }), { items: [event] })
  assert.throws(() => accept({ what: 'events', object: 'x' }, {}), { code: 400 })
  const log = { what: 'log', object: 'x', container: 'c' } as const
  assert.deepEqual(accept(log, { text: 'it serves' }), { text: 'it serves' })
  assert.deepEqual(accept(log, {}), { text: '' })
  const { text } = accept(log, { text: `${'a'.repeat(600_000)}end` }) as { readonly text: string }
  assert.deepEqual([text.length, text.slice(-3)], [500_000, 'end'])
})
