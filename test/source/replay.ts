import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type Artifact, blobNameOf } from '../../lib/foundations/kinds/artifact.ts'
import type { Event } from '../../lib/foundations/kinds/event.ts'
import type { Condition, KubernetesObject, ObjectRef } from '../../lib/foundations/kinds/object.ts'
import { refOf } from '../../lib/foundations/kinds/object.ts'
import type { Hub } from '../../lib/hub/store/hub.ts'
import type { Source } from '../../lib/reconcile/source-artifact/source.ts'
import { extract } from '../../lib/sources/artifact/extract.ts'
import { endWithTest } from '../bed/teardown.ts'
import type { Operation, RecordedEvent, Scenario, Step, Transitions, Until } from '../conformance/flux/scenario.ts'
import { startServers } from '../conformance/flux/servers/all.ts'
import { filled, isLike, named, settled } from '../conformance/flux/texts.ts'
import { artifactAddress, openSourceWorld } from './source-world.ts'

const manager = { fieldManager: 'recorder' }
const group = 'source.toolkit.fluxcd.io'
const shortKinds: Readonly<Record<string, ObjectRef['kind']>> = {
  git: 'GitRepository',
  oci: 'OCIRepository',
  hr: 'HelmRepository',
  hc: 'HelmChart',
}
const kinds = Object.values(shortKinds)

type Watched = Source & { readonly spec?: { readonly suspend?: boolean } }

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

/** Some small files stand in the recordings themselves, others by their digest. */
const asRecorded = (content: Uint8Array, recorded: string | undefined): string =>
  recorded?.startsWith('sha256:')
    ? `sha256:${createHash('sha256').update(content).digest('hex')}`
    : Buffer.from(content).toString('utf8')

const keyOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.namespace}/${metadata.name}`

/** A status as the recordings show it: without what differs from run to run. */
const shownStatus = (object: Watched) => {
  const {
    conditions = [],
    artifact,
    includedArtifacts,
    observedGeneration,
    ...rest
  } = (object.status ?? {}) as SourceStatus
  // Of a suspended object, source-controller moves Ready to the new generation and kustomize-controller does not; the
  // loop does as the latter.
  const isMoved = (type: string) => type === 'Ready' && object.spec?.suspend
  const generation = (observed: number | undefined) =>
    observed === object.metadata.generation
      ? 'generation'
      : observed === object.metadata.generation! - 1 && observed > 0
        ? 'generation-1'
        : observed
  const { length: hasConditions } = conditions
  return comparable({
    ...(hasConditions && {
      conditions: conditions.map(({ type, status, reason, message, observedGeneration: observed }) => ({
        type,
        status,
        reason,
        message,
        ...(observed !== object.metadata.generation && !isMoved(type) && { observedGeneration: generation(observed) }),
      })),
    }),
    ...(artifact && {
      artifact: { revision: artifact.revision, path: artifact.path, url: artifact.url, metadata: artifact.metadata },
    }),
    ...(includedArtifacts && {
      includedArtifacts: includedArtifacts.map(({ revision, path }) => ({ revision, path })),
    }),
    observedGeneration: generation(observedGeneration),
    ...rest,
    _finalizers: object.metadata.finalizers ?? [],
  })
}

type SourceStatus = NonNullable<Source['status']> & { readonly includedArtifacts?: readonly Artifact[] }

/** Key order does not count. */
const comparable = (value: object): unknown => JSON.parse(JSON.stringify(value))

const watched = [
  'Stalled',
  'Reconciling',
  'Ready',
  'Healthy',
  'FetchFailed',
  'BuildFailed',
  'ArtifactOutdated',
  'SourceVerified',
]

const stateOf = (object: Watched): string =>
  (object.status?.conditions ?? [])
    .filter(({ type }: Condition) => watched.includes(type))
    .map(({ type, status, reason, message }: Condition) => `${type}=${status} ${reason}: ${message}`)
    .sort()
    .join('\n')

/** Sees every state of the repositories, and every Event, of a namespace. */
const watch = (hub: Hub, namespace: string) => {
  const ending = new AbortController()
  const states = new Map<string, string[]>()
  const events: RecordedEvent[] = []
  const following: Promise<void>[] = []
  const note = (object: Watched, deleted = false) => {
    const state = deleted ? 'deleted' : object.metadata.deletionTimestamp ? 'deleting' : stateOf(object)
    const seen = states.get(keyOf(object)) ?? []
    if (state && !seen.includes(state)) states.set(keyOf(object), [...seen, state])
  }
  const follow = async (group: string, kind: string, see: (object: KubernetesObject, type: string) => void) => {
    const { items, resourceVersion: after } = await hub.list({ group, kind, namespace })
    if (kinds.includes(kind)) for (const item of items) note(item as Watched)
    const changes = hub.watch({ group, kind, namespace, after, signal: ending.signal })
    following.push(
      (async () => {
        for await (const { type, object } of changes) see(object, type)
      })().catch(error => {
        if (!ending.signal.aborted) throw error
      }),
    )
  }
  return {
    async start() {
      for (const kind of kinds) {
        await follow(group, kind, (object, type) => note(object as Watched, type === 'DELETED'))
      }
      await follow('', 'Event', object => {
        const { type, reason, message, involvedObject, metadata } = object as Event
        events.push({
          object: `${involvedObject.kind}/${namespace}/${involvedObject.name}`,
          type: type!,
          reason: reason!,
          message: message!,
          ...(metadata.annotations && { annotations: metadata.annotations }),
        })
      })
    },
    async stop() {
      await new Promise(resolve => setTimeout(resolve, 50))
      ending.abort()
      await Promise.all(following)
      return { states, events }
    },
  }
}

const compareTransitions = ({ expect }: Step, seen: Readonly<Record<string, readonly string[]>>): void => {
  const statesIn = (recorded: Transitions | undefined, key: string): string[] =>
    (recorded?.[key] ?? [])
      .map(state => (typeof state === 'string' ? [state] : [...state]).sort().join('\n'))
      .filter(state => !isRetry(state))
  for (const key of new Set([...Object.keys(expect.transitions ?? {}), ...Object.keys(seen)])) {
    const expected = statesIn(expect.transitions, key)
    const optional = statesIn(expect.optionalTransitions, key)
    const [first, ...rest] = (seen[key] ?? []).filter(state => !isRetry(state))
    // The first one is the state before the step, which some recordings show.
    const actual = first !== undefined && isState(expected[0], first) ? [first, ...rest] : rest
    const shown = actual.filter(
      state => expected.some(one => isState(one, state)) || !optional.some(one => isState(one, state)),
    )
    assert.deepEqual(
      shown,
      expected.map((state, index) => settled(state, shown[index])),
      `the states of ${key}`,
    )
  }
}

const isState = (recorded: string | undefined, seen: string): boolean =>
  recorded !== undefined && isLike(recorded, seen)

/** The beginning of another try while an object fails: the recordings caught some of them, as chance would have it. */
const isRetry = (state: string): boolean =>
  (/^Ready=False/m.test(state) &&
    /^Reconciling=True Progressing: (processing object|reconciliation in progress)/m.test(state)) ||
  (/^(FetchFailed|BuildFailed)=True/m.test(state) && /^Ready=Unknown Progressing: building artifact$/m.test(state))

const compareEvents = ({ expect }: Step, seen: readonly RecordedEvent[]): void => {
  const line = ({ object, type, reason, message, annotations }: RecordedEvent) => {
    const revision = annotations?.['source.toolkit.fluxcd.io/revision'] ?? ''
    return `${object} ${type} ${reason} ${revision}: ${message}`
  }
  const expected = (expect.events ?? []).map(line)
  const optional = (expect.optionalEvents ?? []).map(line)
  const actual = [...new Set(seen.map(line))].filter(
    event => expected.some(one => isLike(one, event)) || !optional.some(one => isLike(one, event)),
  )
  // Of HelmCharts, these come and go with how often the real controller looked.
  const isChance = (event: string) =>
    (event.startsWith('HelmChart/') && / ArtifactUpToDate /.test(event)) ||
    / GarbageCollectionSucceeded : garbage collected \d+ artifacts$/.test(event) // ours keeps artifacts for a while at any rate
  assert.deepEqual(
    actual.filter(event => !isChance(event)),
    expected
      .filter(event => !isChance(event))
      .map((event, index) => settled(event, actual.filter(one => !isChance(one))[index])),
    'the events',
  )
}
