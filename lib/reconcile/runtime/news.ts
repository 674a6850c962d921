import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { selectionOf } from '../../hub/store/references.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Queue } from '../../platform/ports/queue.ts'
import type { Schedule } from '../../platform/ports/schedule.ts'
import { createAddressing, kindKey } from './addressing.ts'
import type { Addressed } from './reconciler.ts'

export interface NewsPorts {
  readonly hub: Pick<Hub, 'get' | 'referrers'>
  readonly queue: Queue
  readonly schedule: Schedule
  readonly clock: Clock
}

const page = 100

/**
 * Enqueues the objects that refer to the changed one, of the kinds that react to it. They are also made due, so that a lost message costs
 * time only.
 */
export const enqueueDependents = async (
  { hub, queue, schedule, clock }: NewsPorts,
  reconcilers: readonly Addressed[],
  target: ObjectRef,
): Promise<void> => {
  const listeners = reconcilers.filter(({ reactsTo }) => reactsTo?.includes(target.kind))
  const listening = new Set(listeners.map(({ kind }) => kindKey(kind)))
  if (listening.size === 0) return
  const { messageTo } = createAddressing(hub, listeners)
  const preparing = new Set(listeners.filter(({ prepare }) => prepare).map(({ kind }) => kindKey(kind)))
  const tell = async (refs: readonly ObjectRef[]): Promise<void> => {
    await Promise.all(refs.map(ref => schedule.setDue(ref, clock.now())))
    const messages = await Promise.all(refs.map(ref => messageTo(ref)))
    await queue.send(
      messages
        .filter(message => message !== undefined)
        .map(message => (preparing.has(kindKey(message.ref)) ? { ...message, stage: 'build' as const } : message)),
    )
  }
  const isSelected = listeners.some(({ selects }) => selects?.includes(target.kind))
  for (const sought of isSelected ? [target, selectionOf(target)] : [target]) {
    let refs: ObjectRef[] = []
    for await (const ref of hub.referrers(sought)) {
      if (!listening.has(kindKey(ref))) continue
      refs.push(ref)
      if (refs.length < page) continue
      await tell(refs)
      refs = []
    }
    await tell(refs)
  }
}
