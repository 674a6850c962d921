import type { ObjectRef } from '../lib/foundations/kinds/object.ts'
import { type Message, type Stage, stages } from '../lib/platform/ports/queue.ts'
import { EventError, fieldsOf } from './event-error.ts'

const event = 'queue message'

/** Parses the body of an SQS message, which names the object to reconcile. Fails with EventError. */
export const parseQueueMessage = (body: string): Message => {
  const message = fieldsOf(event, parsed(body))
  const stage = message.text('stage')
  if (!isStage(stage)) throw new EventError(event, `stage is ${JSON.stringify(stage)}, not one of ${stages.join(', ')}`)
  const ref = message.object('ref')
  const group = message.optionalText('group')
  const dueAt = message.value('dueAt')
  const refs = message.value('refs')
  if (dueAt !== undefined && typeof dueAt !== 'number') throw new EventError(event, 'dueAt is not a number')
  return {
    stage,
    ref: refIn(ref),
    ...(group !== undefined && { group }),
    ...(dueAt !== undefined && { dueAt }),
    ...(message.value('visited') === true && { visited: true as const }),
    ...(message.value('alone') === true && { alone: true as const }),
    ...(Array.isArray(refs) && { refs: refs.map(each => refIn(fieldsOf(`${event}: refs`, each))) }),
  }
}

/** A message is delivered again if its receiver died or failed. Once may be coincidence, so the count starts later. */
const unfinishedFrom = 3

/** Parses a message that has been delivered `deliveries` times. */
export const receivedMessage = (body: string, deliveries: number): Message => ({
  ...parseQueueMessage(body),
  ...(deliveries >= unfinishedFrom && { unfinished: true as const }),
})

const isStage = (text: string): text is Stage => (stages as readonly string[]).includes(text)

const refIn = (ref: ReturnType<typeof fieldsOf>): ObjectRef => ({
  group: ref.text('group'),
  kind: ref.text('kind'),
  namespace: ref.text('namespace'),
  name: ref.text('name'),
})

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    throw new EventError(event, 'its body is not JSON')
  }
}

/** The event that Lambda passes to the function of a stage: up to ten messages of its queue. */
export const sample = {
  Records: [
    {
      messageId: '059f36b4-87a3-44ab-83d2-661975830a7d',
      receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...',
      body: JSON.stringify({
        stage: 'apply',
        ref: { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'flux-system', name: 'apps' },
        group: 'flux-system/staging-kubeconfig',
      } satisfies Message),
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '1545082649183',
        SenderId: 'AIDAIENQZJOLO23YVJ4VO',
        ApproximateFirstReceiveTimestamp: '1545082649185',
        MessageGroupId: 'flux-system/staging-kubeconfig',
      },
      messageAttributes: {},
      md5OfBody: '098f6bcd4621d373cade4e832627b4f6',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:keelson-apply',
      awsRegion: 'us-east-1',
    },
  ],
}
