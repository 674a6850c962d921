import type { Acknowledge } from '../../platform/adapters/aws/sqs-queue.ts'
import type { Message, Queue } from '../../platform/ports/queue.ts'

/** A received message. */
export interface Received {
  readonly id: string
  readonly receipt: string
  readonly message: Message
}

export interface BatchPorts {
  readonly queue: Queue
  readonly acknowledge: Acknowledge
  /** Fails if the message must be delivered again. */
  handle(received: Received): Promise<void>
}

/**
 * Handles the messages of a batch concurrently; resolves to those that must be delivered again. A message that may end the process is handled
 * last and alone: by then the others are deleted, and further ones of its sort are returned to the queue, so that none of them is affected.
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
