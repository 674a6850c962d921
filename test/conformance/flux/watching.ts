import { builtInKinds } from '../../../lib/foundations/kinds/all.ts'
import type { Event } from '../../../lib/foundations/kinds/event.ts'
import type { Condition, KubernetesObject, ObjectRef } from '../../../lib/foundations/kinds/object.ts'
import { describeRef, refOf } from '../../../lib/foundations/kinds/object.ts'
import { isOfHub } from './routed-cluster.ts'
import type { RecordedEvent } from './scenario.ts'
import type { World } from './world.ts'

/** All that was stored of Flux's objects, and all Events, since the last look. */
export interface Watching {
  /** States of Ready and its like, in the order of their first appearance, by object. */
  readonly states: ReadonlyMap<string, readonly string[]>
  readonly events: readonly RecordedEvent[]
  stop(): Promise<void>
}

const watchedConditions = [
  'Ready',
  'Reconciling',
  'Stalled',
  'Healthy',
  'FetchFailed',
  'BuildFailed',
  'ArtifactOutdated',
  'SourceVerified',
  'Released',
  'TestSuccess',
  'Remediated',
  'Drifted',
]

/** The kinds that recordings show the status of. */
export const fluxKinds: readonly Pick<ObjectRef, 'group' | 'kind'>[] = builtInKinds
  .filter(({ group }) => isOfHub(group) && group !== 'notification.toolkit.fluxcd.io')
  .map(({ group, kind }) => ({ group, kind }))

export const startWatching = async (world: World): Promise<Watching> => {
  const { hub } = world
  const ending = new AbortController()
  const states = new Map<string, string[]>()
  const events: RecordedEvent[] = []
  const following: Promise<void>[] = []

  const note = (object: KubernetesObject, isGone = false): void => {
    const state = isGone ? 'deleted' : object.metadata.deletionTimestamp ? 'deleting' : stateOf(object)
    const key = describeRef(refOf(object))
    const seen = states.get(key) ?? []
    if (state && !seen.includes(state)) states.set(key, [...seen, state])
  }
  const follow = async (
    kind: Pick<ObjectRef, 'group' | 'kind'>,
    see: (object: KubernetesObject, type: string) => void,
    first?: (object: KubernetesObject) => void,
  ): Promise<void> => {
    const { items, resourceVersion: after } = await hub.list(kind)
    if (first) for (const item of items) first(item as KubernetesObject)
    const changes = hub.watch({ ...kind, after, signal: ending.signal })
    following.push(
      (async () => {
        for await (const { type, object } of changes) see(object as KubernetesObject, type)
      })().catch(error => {
        if (!ending.signal.aborted) throw error
      }),
    )
  }

  for (const kind of fluxKinds) await follow(kind, (object, type) => note(object, type === 'DELETED'), note)
  await follow({ group: '', kind: 'Event' }, (object, type) => {
    if (type === 'DELETED') return
    const event = eventOf(object as Event)
    if (!events.some(known => JSON.stringify(known) === JSON.stringify(event))) events.push(event)
  })
  return {
    states,
    events,
    async stop() {
      ending.abort('over')
      await Promise.all(following)
    },
  }
}

/** Conditions in a line each. */
const stateOf = (object: KubernetesObject): string =>
  ((object.status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [])
    .filter(({ type }) => watchedConditions.includes(type))
    .map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`)
    .sort()
    .join('\n')

const eventOf = ({ involvedObject, type, reason, message, metadata }: Event): RecordedEvent => ({
  object: `${involvedObject.kind}/${involvedObject.namespace}/${involvedObject.name}`,
  type: type ?? '',
  reason: reason ?? '',
  message: message ?? '',
  annotations: metadata.annotations ?? {},
})
