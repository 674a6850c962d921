import assert from 'node:assert/strict'
import { type Artifact, blobNameOf } from '../../lib/foundations/kinds/artifact.ts'
import type { KubernetesObject, ObjectRef } from '../../lib/foundations/kinds/object.ts'
import { refOf } from '../../lib/foundations/kinds/object.ts'
import { extract } from '../../lib/sources/artifact/extract.ts'
import { endWithTest } from '../bed/teardown.ts'
import type { Operation, Scenario, Step, Until } from '../conformance/flux/scenario.ts'
import { startServers } from '../conformance/flux/servers/all.ts'
import { filled, named, settled } from '../conformance/flux/texts.ts'
import { artifactAddress, openSourceWorld } from './source-world.ts'
import {
  asRecorded,
  comparable,
  compareEvents,
  compareTransitions,
  group,
  keyOf,
  kinds,
  shortKinds,
  shownStatus,
  type Watched,
  watch,
} from './watched-sources.ts'

const manager = { fieldManager: 'recorder' }

/** Plays the steps of a scenario to our reconcilers, over real servers, and compares what the real ones did. */
export const replay = async (scenario: Scenario): Promise<void> => {
  const served = (await startServers(scenario)).map(endWithTest)
  const world = await openSourceWorld()
  const { hub } = world
  const namespace = scenario.id
  const placeholders = new Map([
    ...served.flatMap(server => [...server.placeholders]),
    ['STORAGE_URL', artifactAddress],
  ])
  let requests = 0

  const refTo = (text: string): ObjectRef => {
    const [kind = '', name = ''] = text.split('/')
    return { group, kind: shortKinds[kind]!, namespace, name }
  }
  const sourcesNow = async (): Promise<Watched[]> =>
    (await Promise.all(kinds.map(kind => hub.list<Watched>({ group, kind, namespace })))).flatMap(({ items }) => items)

  const perform = async (operation: Operation): Promise<void> => {
    const [[name, argument]] = Object.entries(filled(operation, placeholders) as Record<string, never>) as [
      [string, never],
    ]
    switch (name) {
      case 'apply': {
        const { objects, mayFail } = argument as { objects: KubernetesObject[]; mayFail?: boolean }
        for (const given of objects) {
          const object = { ...given, metadata: { namespace, ...given.metadata } }
          const applied = hub.patch(refOf(object), { type: 'apply', object }, { ...manager, force: true })
          await (mayFail ? applied.catch(() => {}) : applied)
        }
        return
      }
      case 'patch': {
        const { ref, patch } = argument as { ref: string; patch: unknown }
        return void (await hub.patch(refTo(ref), { type: 'merge', patch }, manager))
      }
      case 'delete':
        return void (await hub.delete(refTo((argument as { ref: string }).ref), {}))
      case 'reconcile':
        for (const ref of argument as string[]) {
          const token = `request ${++requests}`
          placeholders.set(`REQUEST_${requests}`, token)
          const annotations = { 'reconcile.fluxcd.io/requestedAt': token }
          await hub.patch(refTo(ref), { type: 'merge', patch: { metadata: { annotations } } }, manager)
        }
        return
      case 'suspend':
      case 'resume': {
        const patch = { spec: { suspend: name === 'suspend' } }
        return void (await hub.patch(refTo(argument), { type: 'merge', patch }, manager))
      }
      case 'sleep':
        return world.advance(1000 * Number(argument))
      default: {
        const server = served.find(({ operations }) => operations[name])
        assert.ok(server, `the replay knows no operation ${name}`)
        await server.operations[name]!(argument)
        for (const [placeholder, value] of server.placeholders) placeholders.set(placeholder, value)
      }
    }
  }

  const isReached = async ({ ref, ready, rev, deleted }: Until): Promise<boolean> => {
    const object = await hub.get<Watched>(refTo(ref))
    if (deleted) return object === undefined
    const condition = object?.status?.conditions?.find(({ type }) => type === 'Ready')
    if (ready && (condition?.status !== ready || condition.observedGeneration !== object?.metadata.generation))
      return false
    return !rev || (object?.status?.artifact?.revision.includes(placeholders.get(rev) ?? rev) ?? false)
  }

  const play = async (step: Step, before: ReadonlyMap<string, unknown>) => {
    const watching = watch(hub, namespace)
    await watching.start()
    for (const operation of step.do) await perform(operation)
    await world.settle()
    for (const until of step.until) {
      for (let waited = 0; !(await isReached(until)); waited++) {
        assert.ok(waited < 120, `never came: ${JSON.stringify(until)}`)
        await world.advance(5_000)
      }
    }
    const { states, events } = await watching.stop()
    const now = new Map((await sourcesNow()).map(object => [keyOf(object), named(shownStatus(object), placeholders)]))
    const expected = Object.entries(step.expect.objects).map(([key, status]) => [
      key,
      status === 'unchanged' ? before.get(key) : settled(comparable(status as object), now.get(key)),
    ])
    assert.deepEqual(Object.fromEntries(now), Object.fromEntries(expected))
    compareTransitions(step, named(Object.fromEntries(states), placeholders))
    compareEvents(step, named(events, placeholders))
    await compareArtifacts(step)
    return now
  }

  const compareArtifacts = async ({ expect }: Step): Promise<void> => {
    for (const [key, files] of Object.entries(expect.artifactFiles ?? {})) {
      const { status } = (await sourcesNow()).find(object => keyOf(object) === key)!
      const blob = await world.platform.artifacts.get(blobNameOf(status!.artifact as Artifact))
      const seen = [...(await filesIn(blob!))].map(([path, content]) => [path, asRecorded(content, files[path])])
      assert.deepEqual(named(Object.fromEntries(seen), placeholders), files, `the files in the artifact of ${key}`)
    }
  }

  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, manager)
  let before: ReadonlyMap<string, unknown> = new Map()
  for (const step of scenario.steps) before = await play(step, before)
}

const filesIn = async (blob: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> => {
  const isArchive = blob[0] === 0x1f && blob[1] === 0x8b
  if (!isArchive) return new Map([['(not a tar archive)', blob]])
  return new Map([...(await extract(blob))].map(([path, { content }]) => [path, content]))
}
