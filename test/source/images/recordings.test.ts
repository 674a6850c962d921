import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Event } from '../../../lib/foundations/kinds/event.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { openRegistry } from '../oci/oci-world.ts'
import { group, openImageWorld } from './image-world.ts'
import { isEventSeen, namespace, registry, type Seen, statusSeen, stories } from './stories.ts'

const recorded: Readonly<Record<string, readonly Seen[]>> = JSON.parse(
  readFileSync(new URL('stories.recorded.json', import.meta.url), 'utf8'),
)

const shows: Readonly<Record<string, string>> = {
  'a scan, policies of each kind, and a newer tag': 'IM-007 IM-012 IM-013 IM-017 IM-022..026 IM-031..033 IM-035',
  digests: 'IM-028 IM-032',
  'names of images that stall': 'IM-002 IM-034',
  'an expression that excludes nothing': 'IM-007 IM-014',
  'policies that can not be used': 'IM-022 IM-025 IM-027 IM-034',
  'what is missing': 'IM-005 IM-006 IM-014 IM-021 IM-034',
  'Secrets that do not fit': 'IM-005 IM-006 IM-014',
  'repositories of another namespace': 'IM-008 IM-021 IM-034',
  'a suspended repository and policy': 'IM-009 IM-030',
}

for (const [title, steps] of Object.entries(stories))
  test(`${shows[title]}: as image-reflector-controller does: ${title}`, async () => {
    const server = await openRegistry()
    const world = await openImageWorld()
    const author = { fieldManager: 'author' }
    const places = { own: 'replayed', beside: 'replayed-team' }
    const labelsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      [places.own]: {},
      [places.beside]: { tenant: 'team' },
    }
    for (const [name, labels] of Object.entries(labelsOf))
      await world.hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }, author)
    const asReal = (value: object) =>
      JSON.parse(JSON.stringify(value).replaceAll(registry, server.server.host).replaceAll(namespace, places.own))
    const asRecorded = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll(server.server.host, registry).replaceAll(places.own, namespace))
    for (const [at, { push = {}, create = [], apply = [], request = [] }] of steps.entries()) {
      for (const [repository, tags] of Object.entries(push)) await server.push({ layers: [] }, repository, ...tags)
      for (const { kind, name, rest } of create) await world.create(kind, name, rest, places.own)
      for (const { kind, name, spec, elsewhere } of apply)
        await world.applies(kind, name, asReal(spec), elsewhere ? places.beside : places.own)
      for (const [kind, name] of request) await world.request(kind, name, String(at), places.own)
      const listed = await Promise.all(
        ['ImageRepository', 'ImagePolicy'].map(kind => world.hub.list<KubernetesObject>({ group, kind })),
      )
      const objects = listed.flatMap(({ items }) =>
        items.map(({ kind, metadata, status }) => [`${kind}/${metadata.name}`, statusSeen(status as never)] as const),
      )
      const { items: events } = await world.hub.list<Event>({ group: '', kind: 'Event' })
      const lines = events
        .filter(({ message = '' }) => isEventSeen(message))
        .map(
          ({ involvedObject, type, reason, message }) =>
            `${involvedObject.kind}/${involvedObject.name} ${type} ${reason}: ${message}`,
        )
      const expected = recorded[title]![at]!
      const seen = asRecorded({ objects: Object.fromEntries(objects), events: [...new Set(lines)].sort() })
      assert.deepEqual(seen.objects, expected.objects)
      assert.deepEqual(seen.events, expected.events)
    }
  })
