import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { blobNameOf } from '../../../lib/foundations/kinds/artifact.ts'
import type { Event } from '../../../lib/foundations/kinds/event.ts'
import type { ExternalArtifact } from '../../../lib/foundations/kinds/external-artifact.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { generatorRef, minute, openGeneratorWorld, outputRef } from './generator-world.ts'
import { seenOf } from './seen.ts'
import { namespace, type Seen, stories } from './stories.ts'

const recorded: Readonly<Record<string, readonly Seen[]>> = JSON.parse(
  readFileSync(new URL('stories.recorded.json', import.meta.url), 'utf8'),
)

const shows: Readonly<Record<keyof typeof stories, string>> = {
  'two outputs, a push to one of them, and an output that goes':
    'AG-002 AG-010 AG-012 AG-015 AG-035 AG-037 AG-038 AG-043 AG-045',
  'files, folders and patterns': 'AG-018..021 AG-023',
  'overwrite and merge': 'AG-026 AG-027',
  'archives that are unpacked': 'AG-022 AG-028',
  'a path pattern, and directories that come and go': 'AG-029 AG-031 AG-033',
  'path patterns that stall': 'AG-030 AG-032 AG-044',
  'a path pattern without a match': 'AG-043',
  'a source that is missing, and comes': 'AG-008 AG-044',
  'a file that is missing, and comes': 'AG-024 AG-044',
  'copies that fail': 'AG-017 AG-022..025 AG-044',
  'suspended by its annotation, and resumed': 'AG-003 AG-004',
  'specs that stall, and one that is mended': 'AG-006 AG-011 AG-044',
  'an artifact with another name': 'AG-038',
  'a generator that is deleted': 'AG-001 AG-041',
  'revisions, origins, and sources of each kind': 'AG-005 AG-009 AG-012 AG-013',
  'common metadata that changes': 'AG-036',
  'a request when nothing has changed': 'AG-004 AG-010 AG-045',
  'an ExternalArtifact that was deleted': 'AG-039',
  'a source whose files are not those of its digest': 'AG-008 AG-009',
  'files that sources exclude by default': 'AG-016',
}

for (const [title, steps] of Object.entries(stories))
  test(`${shows[title]}: as source-watcher does: ${title}`, async () => {
    const world = await openGeneratorWorld()
    const { hub } = world
    const digests = new Map<string, string>()
    for (const [at, { push = [], apply = [], request = [], remove = [] }] of steps.entries()) {
      for (const one of push) await world.give(one)
      for (const { name, annotations, spec } of apply) await world.generate(name, spec, annotations && { annotations })
      for (const [kind, name] of remove)
        await hub.delete(kind === 'ArtifactGenerator' ? generatorRef(name) : outputRef(name), {})
      await world.settle()
      for (const name of request) await world.annotate(name, { 'reconcile.fluxcd.io/requestedAt': String(at) })
      await world.advance(minute)
      const generators = await hub.list<KubernetesObject>({ ...generatorRef(''), namespace: 'default' })
      const outputs = await hub.list<ExternalArtifact>({ ...outputRef(''), namespace: 'default' })
      const contents = new Map<string, Uint8Array>()
      for (const { metadata, status } of outputs.items) {
        const content = status?.artifact && (await world.platform.artifacts.get(blobNameOf(status.artifact)))
        if (content) contents.set(metadata.name, content)
      }
      const { items: events } = await hub.list<Event>({ group: '', kind: 'Event' })
      const found = seenOf([...generators.items, ...outputs.items], events, contents, digests)
      const seen = JSON.parse(
        JSON.stringify(found).replaceAll('default/', `${namespace}/`).replaceAll('"default"', `"${namespace}"`),
      )
      const expected = recorded[title]![at]!
      assert.deepEqual(seen.objects, expected.objects)
      assert.deepEqual(seen.events, expected.events)
    }
  })
