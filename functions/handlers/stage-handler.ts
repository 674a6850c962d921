import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch'
import type { PartialItemFailureResponse } from '@aws-lambda-powertools/batch/types'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { parseQueueMessage } from '../../events/queue-message.ts'
import type { Reconcilers } from '../../lib/compose/appliers.ts'
import { awsStage } from '../../lib/compose/aws-stage.ts'
import { hub } from './function-hub.ts'
import { observedHandler } from './observed-handler.ts'
import { timeLeft } from './time-left.ts'

/**
 * Takes a batch of one stage's queue. Its passes run side by side, sharing connections; only the messages that failed are
 * given back, to come again.
 */
export const stageHandler = (reconcilers: Pick<Reconcilers, 'reconcilers'>) => {
  const look = awsStage(hub, reconcilers)
  return observedHandler<SQSEvent, PartialItemFailureResponse>(async (event, context) => {
    const signal = timeLeft(context)
    const handle = ({ body, messageId }: SQSRecord) => look(parseQueueMessage(body), messageId, signal)
    const processor = new BatchProcessor(EventType.SQS)
    return processPartialResponse(event, handle, processor, { context, throwOnFullBatchFailure: false })
  })
}
