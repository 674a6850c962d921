import type { AuditEvent } from '../../hub/apiserver/audit/audit-event.ts'
import type { AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import { awsJsonCall } from '../../platform/cloud/aws/json-call.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { type LogEvent, logEventOf, nextBatch, rejectedIn } from './log-batches.ts'

export interface AuditLogGroup {
  /** Resolves once CloudWatch Logs has accepted the event; fails with an Error if it has not. */
  write(event: AuditEvent): Promise<void>
  /** Resolves once everything has been accepted or has failed: a function that ends before may lose events. */
  settled(): Promise<void>
}

export interface LogStream {
  readonly group: string
  /** No other process writes to it. Created with the first event. */
  readonly stream: string
  readonly region: string
  /** An identity that may create streams and write events. */
  readonly identity: AwsIdentity
}

/** Requests are held up until they are on record, so this is bounded. */
const attempts = 3
const timeoutMs = 3000
const pauseMs = 200

/** Writes audit events to a log group. Events that come while a request is pending share the next one. */
export const auditLogGroup = (
  cloud: Pick<AmbientPorts, 'fetch' | 'environment'> & { readonly clock: Clock },
  { group, stream, region, identity }: LogStream,
): AuditLogGroup => {
  let waiting: Waiting[] = []
  let writing: Promise<void> = Promise.resolve()
  const of = { logGroupName: group, logStreamName: stream }

  const call = async (operation: string, body: Readonly<Record<string, unknown>>) => {
    const endpoint = endpointOf('logs', region, cloud.environment)
    const target = `Logs_20140328.${operation}`
    const credentials = await identity()
    return awsJsonCall(cloud, { endpoint, service: 'logs', region, target, body, credentials, timeoutMs })
  }

  /** Fails with CloudError. */
  const put = async (logEvents: readonly LogEvent[]): Promise<(at: number) => boolean> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return rejectedIn(await call('PutLogEvents', { ...of, logEvents }))
      } catch (error) {
        if (attempt === attempts || !(error instanceof CloudError)) throw error
        if (error.code === 'ResourceNotFoundException') await createStream()
        else if (mayPass(error)) await cloud.clock.sleep(pauseMs * 2 ** attempt)
        else throw error
      }
    }
  }

  const createStream = async (): Promise<void> => {
    await call('CreateLogStream', of).catch(error => {
      if (!(error instanceof CloudError) || error.code !== 'ResourceAlreadyExistsException') throw error
    })
  }

  const writeBatch = async (): Promise<void> => {
    const count = nextBatch(waiting.map(({ event }) => event))
    const batch = waiting.slice(0, count).sort((a, b) => a.event.timestamp - b.event.timestamp)
    waiting = waiting.slice(count)
    try {
      const isRejected = await put(batch.map(({ event }) => event))
      for (const [at, { resolve, reject }] of batch.entries())
        if (isRejected(at)) reject(new Error(`CloudWatch Logs does not accept events of this time: see ${group}`))
        else resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return {
    write: event => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.push({ event: logEventOf(event), resolve, reject })
      writing = writing.then(async () => {
        if (waiting.length > 0) await writeBatch()
      })
      return promise
    },
    settled: () => writing,
  }
}

interface Waiting {
  readonly event: LogEvent
  resolve(): void
  reject(error: unknown): void
}

/** Whether the same request may succeed a moment later. */
const mayPass = ({ status, code = '' }: CloudError): boolean =>
  status === undefined || status >= 500 || /^(Throttling|ServiceUnavailable|LimitExceeded|OperationAborted)/.test(code)
