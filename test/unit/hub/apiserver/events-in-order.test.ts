import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../../../../lib/foundations/kinds/event.ts'
import { createEventRecorder } from '../../../../lib/signals/notify/event-recorder.ts'
import { kustomization } from '../store/world.ts'
import { apiWorld } from './world.ts'

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
const told = ['applied', 'health check passed', 'reconciliation finished', 'next', 'last', 'and one more']

/** Two objects whose Events alternate, as reconciles at the same time write them. */
const world = async () => {
  const { hub, send, clock } = await apiWorld()
  const recorder = createEventRecorder({ hub, clock })
  for (const message of told)
    for (const name of ['app', 'app-b'])
      await recorder.record(
        kustomization(name),
        { severity: 'info', reason: 'Progressing', message: `${name} ${message}` },
        'kustomize-controller',
      )
  return send
}
const wanted = ['app-b', 'app'].flatMap(name => told.map(message => `${name} ${message}`))

test('a list and a table of Events have those of one object in the order in which they happened', async () => {
  const send = await world()
  const paths = ['/api/v1/namespaces/default/events?limit=500', '/api/v1/events?limit=500']
  for (const path of paths) {
    const { json } = await send('GET', path)
    assert.deepEqual(
      json.items.map(({ message }: Event) => message),
      wanted,
    )
  }
  const { json } = await send('GET', paths[0]!, { accept: table })
  const at = json.columnDefinitions.findIndex(({ name }: { name: string }) => name === 'Message')
  assert.deepEqual(
    json.rows.map(({ cells }: { cells: readonly string[] }) => cells[at]),
    wanted,
  )
  const { json: newer } = await send('GET', '/apis/events.k8s.io/v1/events?limit=500')
  assert.deepEqual(
    newer.items.map(({ note }: { note: string }) => note),
    wanted,
  )
})

test('pages hold the same Events as ever: the order is that of a page', async () => {
  const send = await world()
  const seen: string[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const { json } = await send('GET', `/api/v1/events?limit=5&continue=${encodeURIComponent(next)}`)
    seen.push(...json.items.map(({ message }: Event) => message))
    next = json.metadata.continue
  }
  assert.deepEqual(seen.toSorted(), wanted.toSorted())
})
