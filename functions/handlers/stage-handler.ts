import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { receivedMessage } from '../../events/queue-message.ts'
import { handleBatch, type Received } from '../../lib/compose/aws/batch.ts'
import { awsStage, type StageParts } from '../../lib/compose/aws/stage.ts'
import { deadlineSignal } from './deadline-signal.ts'
import { hub } from './function-hub.ts'
import { observedHandler } from './observed-handler.ts'

/**
 * Handles a batch of a stage's queue. Passes run concurrently and share connections, except those that may end the process. Only failed messages
 * are returned to the queue.
 */
export const stageHandler = (parts: StageParts) => {
  const handleMessage = awsStage(hub, parts)
  return observedHandler<SQSEvent, SQSBatchResponse>(async ({ Records }, context) => {
    const signal = deadlineSignal(context)
    const { queue, acknowledge } = hub.platform
    const handle = ({ message, id }: Received) => handleMessage(message, id, signal)
    const read = Records.map(readRecord)
    const batch = read.filter(one => 'message' in one)
    const failed = await handleBatch({ queue, acknowledge, handle }, batch)
    const unreadable = read.filter(one => !('message' in one))
    return { batchItemFailures: [...unreadable, ...failed].map(({ id }) => ({ itemIdentifier: id })) }
  })
}

/** A message that can't be parsed is returned to the queue until it moves to the dead-letter queue. */
const readRecord = ({
  messageId: id,
  receiptHandle,
  body,
  attributes,
}: SQSRecord): Received | { readonly id: string } => {
  try {
    const message = receivedMessage(body, Number(attributes.ApproximateReceiveCount))
    return { id, receipt: receiptHandle, message }
  } catch (error) {
    hub.ports.log.error('failed to parse a message', { id, error })
    return { id }
  }
}
