import { type KubernetesObject, type ObjectRef, refKey } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { selectionOf } from '../../hub/store/references.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Message, Queue } from '../../platform/ports/queue.ts'
import type { Schedule } from '../../platform/ports/schedule.ts'
import { type Visits, visitRef } from '../../platform/ports/visits.ts'
import { createAddressing, kindKey } from './addressing.ts'
import type { Addressed } from './reconciler.ts'
import { wakeMembers } from './wake-members.ts'

export interface NewsPorts {
  readonly hub: Pick<Hub, 'get' | 'referrers'>
  readonly queue: Queue
  readonly schedule: Schedule
  readonly visits: Visits
  readonly clock: Clock
}

const page = 100

/** With more dependents than this, several functions enqueue them. */
const enqueuedHere = 500

/**
 * Enqueues the objects that refer to a changed one, of the kinds that react to it. They, or their visits, become due now, so that none is
 * forgotten if its message is lost. Where messages outlive a process, many dependents are enqueued in parts (see `enqueuePart`): for a push that
 * affects thousands of clusters, a single function would exceed its timeout, and start over.
 */
export const enqueueDependents = async (
  ports: NewsPorts,
  reconcilers: readonly Addressed[],
  target: ObjectRef,
): Promise<void> => {
  const { hub, queue } = ports
  const listeners = listenersOf(reconcilers, target)
  const listening = new Set(listeners.map(({ kind }) => kindKey(kind)))
  if (listening.size === 0) return
  // The functions of the target's own stage may enqueue all kinds that react to it.
  const stage = reconcilers.find(({ kind }) => kindKey(kind) === kindKey(target))?.stage
  let found = 0
  const enqueue = async (parts: readonly (readonly ObjectRef[])[]): Promise<void> => {
    if (queue.isDurable && stage && found > enqueuedHere)
      await queue.send(parts.map(refs => ({ stage, ref: target, refs })))
    else for (const refs of parts) await enqueuePart(ports, reconcilers, target, refs)
  }
  const isSelected = listeners.some(({ selects }) => selects?.includes(target.kind))
  for (const referred of isSelected ? [target, selectionOf(target)] : [target]) {
    let parts: ObjectRef[][] = [[]]
    for await (const ref of hub.referrers(referred)) {
      if (!listening.has(kindKey(ref))) continue
      if (parts.at(-1)!.length === page) parts.push([])
      parts.at(-1)!.push(ref)
      found += 1
      if (found % enqueuedHere !== 0) continue
      await enqueue(parts)
      parts = [[]]
    }
    await enqueue(parts.filter(refs => refs.length > 0))
  }
}

/** Enqueues some of the dependents of a changed object. */
export const enqueuePart = async (
  ports: NewsPorts,
  reconcilers: readonly Addressed[],
  target: ObjectRef,
  refs: readonly ObjectRef[],
): Promise<void> => {
  const { hub, queue, schedule, clock } = ports
  const listeners = listenersOf(reconcilers, target)
  const { messageFor, messageTo, visitTo } = createAddressing(hub, listeners)
  const ignoring = new Map(listeners.flatMap(({ kind, ignores }) => (ignores ? [[kindKey(kind), ignores]] : [])))
  const preparing = new Set(listeners.filter(({ prepare }) => prepare).map(({ kind }) => kindKey(kind)))
  /** Resolves to the objects without a visit. */
  const wakeVisits = async (messages: readonly Message[]): Promise<ReadonlySet<string>> => {
    const visited = await Promise.all(
      messages.map(async ({ stage, ref, group }) => ({ stage, ref, visit: await visitTo(ref, group) })),
    )
    const groups = Map.groupBy(visited, ({ stage, visit }) => `${stage} ${visit}`)
    const alone = await Promise.all(
      [...groups.values()].map(async members => {
        const refs = members.map(({ ref }) => ref)
        const { stage, visit } = members[0]!
        return visit === undefined ? refs : wakeMembers(ports, visitRef(stage, visit), refs)
      }),
    )
    return new Set(alone.flat().map(refKey))
  }
  const messageOf = async (ref: ObjectRef): Promise<Message | undefined> => {
    const ignores = ignoring.get(kindKey(ref))
    if (!ignores) return messageTo(ref)
    const object = await hub.get<KubernetesObject>(ref)
    return object && !ignores(object, target) ? messageFor(object) : undefined
  }
  const found = await Promise.all(refs.map(messageOf))
  const messages = found.filter(message => message !== undefined)
  const alone = await wakeVisits(messages)
  await Promise.all(messages.filter(isIn(alone)).map(({ ref }) => schedule.setDue(ref, clock.now())))
  const sent = messages.map(message => (isIn(alone)(message) ? message : { ...message, visited: true as const }))
  await queue.send(
    sent.map(message => (preparing.has(kindKey(message.ref)) ? { ...message, stage: 'build' as const } : message)),
  )
}

const listenersOf = (reconcilers: readonly Addressed[], { kind }: ObjectRef): readonly Addressed[] =>
  reconcilers.filter(({ reactsTo }) => reactsTo?.includes(kind))

const isIn =
  (keys: ReadonlySet<string>) =>
  ({ ref }: Message): boolean =>
    keys.has(refKey(ref))
