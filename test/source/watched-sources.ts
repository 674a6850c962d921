import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Artifact } from '../../lib/foundations/kinds/artifact.ts'
import type { Event } from '../../lib/foundations/kinds/event.ts'
import type { Condition, KubernetesObject, ObjectRef } from '../../lib/foundations/kinds/object.ts'
import type { Hub } from '../../lib/hub/store/hub.ts'
import type { Source } from '../../lib/reconcile/source-artifact/source.ts'
import { eventually } from '../bed/eventually.ts'
import type { RecordedEvent, Step, Transitions } from '../conformance/flux/scenario.ts'
import { isLike, settled } from '../conformance/flux/texts.ts'

/** What sources of a namespace come to: their states and Events as they follow each other, and how these compare with a recording. */

export const group = 'source.toolkit.fluxcd.io'
export const shortKinds: Readonly<Record<string, ObjectRef['kind']>> = {
  git: 'GitRepository',
  oci: 'OCIRepository',
  hr: 'HelmRepository',
  hc: 'HelmChart',
}
export const kinds = Object.values(shortKinds)

export type Watched = Source & { readonly spec?: { readonly suspend?: boolean } }

/** Some small files stand in the recordings themselves, others by their digest. */
export const asRecorded = (content: Uint8Array, recorded: string | undefined): string =>
  recorded?.startsWith('sha256:')
    ? `sha256:${createHash('sha256').update(content).digest('hex')}`
    : Buffer.from(content).toString('utf8')

export const keyOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.namespace}/${metadata.name}`

/** A status as the recordings show it: without what differs from run to run. */
export const shownStatus = (object: Watched) => {
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
export const comparable = (value: object): unknown => JSON.parse(JSON.stringify(value))

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

const versionsOf = (objects: readonly KubernetesObject[]) =>
  new Map(objects.map(({ metadata: { uid, resourceVersion } }) => [uid, resourceVersion]))

/** Sees every state of the repositories, and every Event, of a namespace. */
export const watch = (hub: Hub, namespace: string) => {
  const ending = new AbortController()
  const states = new Map<string, string[]>()
  const events: RecordedEvent[] = []
  const following: Promise<void>[] = []
  const caughtUp: (() => Promise<void>)[] = []
  const note = (object: Watched, deleted = false) => {
    const state = deleted ? 'deleted' : object.metadata.deletionTimestamp ? 'deleting' : stateOf(object)
    const seen = states.get(keyOf(object)) ?? []
    if (state && !seen.includes(state)) states.set(keyOf(object), [...seen, state])
  }
  const follow = async (group: string, kind: string, see: (object: KubernetesObject, type: string) => void) => {
    const { items, resourceVersion: after } = await hub.list({ group, kind, namespace })
    if (kinds.includes(kind)) for (const item of items) note(item as Watched)
    const changes = hub.watch({ group, kind, namespace, after, signal: ending.signal })
    const seen = versionsOf(items)
    caughtUp.push(async () => assert.deepEqual(seen, versionsOf((await hub.list({ group, kind, namespace })).items)))
    following.push(
      (async () => {
        for await (const { type, object } of changes) {
          see(object, type)
          if (type === 'DELETED') seen.delete(object.metadata.uid)
          else seen.set(object.metadata.uid, object.metadata.resourceVersion)
        }
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
      for (const hasSeenAll of caughtUp) await eventually(hasSeenAll, { every: 5 })
      ending.abort()
      await Promise.all(following)
      return { states, events }
    },
  }
}

export const compareTransitions = ({ expect }: Step, seen: Readonly<Record<string, readonly string[]>>): void => {
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

export const compareEvents = ({ expect }: Step, seen: readonly RecordedEvent[]): void => {
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
