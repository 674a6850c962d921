import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { parseQueueMessage } from '../../events/queue-message.ts'
import { awsStage, type StageParts } from '../../lib/compose/aws/stage.ts'
import { deadlineSignal } from './deadline-signal.ts'
import { hub } from './function-hub.ts'
import { observedHandler } from './observed-handler.ts'

/**
 * Takes a batch of one stage's queue. Its passes run side by side, sharing connections; only the messages that failed are
 * given back, to come again.
 */
export const stageHandler = (parts: StageParts) => {
  const handleMessage = awsStage(hub, parts)
  return observedHandler<SQSEvent, SQSBatchResponse>(async ({ Records }, context) => {
    const signal = deadlineSignal(context)
    const handled = await Promise.allSettled(
      Records.map(async ({ body, messageId }) => handleMessage(parseQueueMessage(body), messageId, signal)),
    )
    const failed = Records.filter((_, at) => handled[at]!.status === 'rejected')
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  })
}
