import { sha256Hex } from '../../foundations/rules/sha256.ts'
import type { AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import { awsJsonCall } from '../../platform/cloud/aws/json-call.ts'
import { presignUrl } from '../../platform/cloud/aws/sign-request.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import type { JsonResponse } from '../../platform/cloud/send-request.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { WakeUps } from '../../platform/ports/wake-ups.ts'

export interface RunnerQueueOptions {
  readonly hubName: string
  readonly region: string
  /** URL of any queue of the hub: those of runners are beside it. */
  readonly besides: string
  /** The identity of this function: what it may do with the queues, see infra/permissions.ts. */
  readonly identity: AwsIdentity
}

interface RunnerQueuePorts {
  readonly cloud: Pick<AmbientPorts, 'fetch'>
  readonly clock: Clock
  readonly log: Log
}

/** What a runner has not received after ten minutes is stale: it polls by itself. Hidden for longer than that, a message comes once and needs no deletion. */
const attributes = { MessageRetentionPeriod: '600', VisibilityTimeout: '900', SqsManagedSseEnabled: 'true' }

/** SQS waits for 20 seconds at most, and all that waits is fetched at once. */
const receive = 'Action=ReceiveMessage&Version=2012-11-05&MaxNumberOfMessages=10&WaitTimeSeconds=20'

/** SQS accepts a presigned URL for a quarter of an hour, whatever it says (aws-sdk-ruby issue 2498). */
const expiresInS = 900

const timeoutMs = 5_000
const attempts = 3
const pauseMs = 100

/** The name of an SQS queue has 80 characters; that of a hub 30. */
export const queuePrefixOf = (hubName: string): string => `${hubName}-runner-`

/** A standard queue for each cluster with a runner, made when a runner requests a place to wait. Messages are empty: they hold no data. */
export const runnerQueues = (
  { cloud, clock, log }: RunnerQueuePorts,
  { hubName, region, besides, identity }: RunnerQueueOptions,
): WakeUps => {
  const prefix = queuePrefixOf(hubName)
  const urlPrefix = `${besides.slice(0, besides.lastIndexOf('/'))}/${prefix}`
  const idOf = (place: string): string => sha256Hex(place).slice(0, 32)

  const call = async (operation: string, body: Readonly<Record<string, unknown>>): Promise<JsonResponse> => {
    const scope = { endpoint: new URL(besides).origin, service: 'sqs', region, jsonVersion: '1.0' } as const
    const credentials = await identity()
    return awsJsonCall(
      { ...cloud, clock },
      { ...scope, target: `AmazonSQS.${operation}`, body, credentials, timeoutMs },
    )
  }

  return {
    open: async place => {
      const id = idOf(place)
      // It most probably exists: then its URL is as good without this.
      await call('CreateQueue', { QueueName: prefix + id, Attributes: attributes }).catch(error =>
        log.error('failed to create the queue of a runner', { error }),
      )
      const request = { method: 'GET', url: `${urlPrefix}${id}?${receive}` }
      return presignUrl(request, await identity(), { service: 'sqs', region, now: clock.now(), expiresInS })
    },
    send: async place => {
      const message = { QueueUrl: urlPrefix + idOf(place), MessageBody: 'news' }
      for (let attempt = 1; ; attempt++) {
        try {
          await call('SendMessage', message)
          return
        } catch (error) {
          if (error instanceof CloudError && missing.has(error.code ?? '')) return
          if (attempt === attempts) throw error
          await clock.sleep(pauseMs * 2 ** attempt)
        }
      }
    },
    keepOnly: async places => {
      const found: string[] = []
      for (let from: unknown, isFirst = true; isFirst || from; isFirst = false) {
        const page = { QueueNamePrefix: prefix, MaxResults: 1000, ...(from ? { NextToken: from } : {}) }
        const { QueueUrls = [], NextToken } = await call('ListQueues', page)
        found.push(...(QueueUrls as readonly string[]))
        from = NextToken
      }
      if (found.length === 0) return
      const kept = new Set([...(await places())].map(place => prefix + idOf(place)))
      for (const QueueUrl of found)
        if (!kept.has(QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1))) await call('DeleteQueue', { QueueUrl })
    },
  }
}

const missing: ReadonlySet<string> = new Set(['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'])
