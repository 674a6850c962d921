import type { Acknowledge } from '../../platform/adapters/aws/sqs-queue.ts'
import type { Message, Queue } from '../../platform/ports/queue.ts'

/** A message as Lambda hands it over. */
export interface Received {
  readonly id: string
  readonly receipt: string
  readonly message: Message
}

export interface BatchPorts {
  readonly queue: Queue
  readonly acknowledge: Acknowledge
  /** Fails when the message must come again. */
  handle(received: Received): Promise<void>
}

/**
 * Handles a batch side by side; resolves to those that must come again. What may end the process comes last and by itself: by then the others
 * are out of the queue, and further ones of its sort have gone back to it. So it takes nobody along.
 */
export const handleBatch = async (
  { queue, acknowledge, handle }: BatchPorts,
  batch: readonly Received[],
): Promise<readonly Received[]> => {
  const others = batch.filter(({ message }) => !message.alone)
  const handled = await Promise.allSettled(others.map(handle))
  const failed = others.filter((_, at) => handled[at]!.status === 'rejected')
  const [alone, ...further] = batch.filter(({ message }) => message.alone)
  if (!alone) return failed
  try {
    if (further.length > 0) await queue.send(further.map(({ message }) => message))
    const finished = [...others.filter(one => !failed.includes(one)), ...further]
    await acknowledge(
      alone.message.stage,
      finished.map(({ receipt }) => receipt),
    )
    await handle(alone)
    return failed
  } catch {
    return [...failed, alone]
  }
}
