import type { Hub } from '../../hub/hub.ts'
import type { KubernetesObject, ObjectRef } from '../../kinds/object.ts'
import type { Message, Queue } from '../../ports/queue.ts'
import type { Reconciler } from './reconciler.ts'

const page = 100

/** Enqueues the objects that refer to one that has news, of the kinds that react to it. */
export const announce = async (
  { hub, queue }: { readonly hub: Pick<Hub, 'referrers'>; readonly queue: Queue },
  reconcilers: readonly Pick<Reconciler<KubernetesObject>, 'kind' | 'stage' | 'reactsTo'>[],
  target: ObjectRef,
): Promise<void> => {
  const listening = new Map(
    reconcilers
      .filter(({ reactsTo }) => reactsTo?.includes(target.kind))
      .map(({ kind, stage }) => [`${kind.group}/${kind.kind}`, stage]),
  )
  if (listening.size === 0) return
  let messages: Message[] = []
  for await (const ref of hub.referrers(target)) {
    const stage = listening.get(`${ref.group}/${ref.kind}`)
    if (!stage) continue
    messages.push({ stage, ref })
    if (messages.length < page) continue
    await queue.send(messages)
    messages = []
  }
  if (messages.length > 0) await queue.send(messages)
}
