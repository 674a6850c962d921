import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch'
import type { PartialItemFailureResponse } from '@aws-lambda-powertools/batch/types'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
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
  const look = awsStage(hub, parts)
  return observedHandler<SQSEvent, PartialItemFailureResponse>(async (event, context) => {
    const signal = deadlineSignal(context)
    const handle = ({ body, messageId }: SQSRecord) => look(parseQueueMessage(body), messageId, signal)
    const processor = new BatchProcessor(EventType.SQS)
    return processPartialResponse(event, handle, processor, { context, throwOnFullBatchFailure: false })
  })
}
