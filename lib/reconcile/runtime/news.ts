import type { Hub } from '../../hub/hub.ts'
import type { KubernetesObject, ObjectRef } from '../../kinds/object.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Message, Queue } from '../../ports/queue.ts'
import type { Schedule } from '../../ports/schedule.ts'
import type { Reconciler } from './reconciler.ts'

export interface NewsPorts {
  readonly hub: Pick<Hub, 'referrers'>
  readonly queue: Queue
  readonly schedule: Schedule
  readonly clock: Clock
}

const page = 100

/**
 * Has the objects looked at that refer to one that has news, of the kinds that react to it. They are due from now on, so
 * that none is forgotten when its message is.
 */
export const announce = async (
  { hub, queue, schedule, clock }: NewsPorts,
  reconcilers: readonly Reconciler<KubernetesObject>[],
  target: ObjectRef,
): Promise<void> => {
  const listening = new Map(
    reconcilers
      .filter(({ reactsTo }) => reactsTo?.includes(target.kind))
      .map(({ kind, stage }) => [`${kind.group}/${kind.kind}`, stage]),
  )
  if (listening.size === 0) return
  const tell = async (messages: readonly Message[]): Promise<void> => {
    await Promise.all(messages.map(({ ref }) => schedule.setDue(ref, clock.now())))
    await queue.send(messages)
  }
  let messages: Message[] = []
  for await (const ref of hub.referrers(target)) {
    const stage = listening.get(`${ref.group}/${ref.kind}`)
    if (!stage) continue
    messages.push({ stage, ref })
    if (messages.length < page) continue
    await tell(messages)
    messages = []
  }
  await tell(messages)
}
