import { awsRequests } from './aws-request.ts'
import type { AwsEmulator } from './emulator.ts'

export interface LogGroups {
  create(group: string): Promise<void>
  /** All there are. */
  names(): Promise<readonly string[]>
  /** The messages of all streams, by time. */
  messages(group: string): Promise<readonly string[]>
  /** The invocations of a function that have ended since a time, in milliseconds since the epoch. */
  invocations(group: string, since: number): Promise<readonly Invocation[]>
}

export interface Invocation {
  readonly lines: readonly string[]
  /** In milliseconds since the epoch, as its end. */
  readonly beganAt: number
  readonly endedAt: number
}

interface LogEvent {
  readonly message: string
  readonly timestamp: number
  readonly logStreamName: string
}

/** CloudWatch Logs of the emulator, which keeps a stream for each invocation of a function. */
export const logGroups = (emulator: AwsEmulator): LogGroups => {
  const aws = awsRequests(emulator)
  const call = async (operation: string, body: object, attempt = 1) => {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `Logs_20140328.${operation}` }
    const { status, text } = await aws({
      service: 'logs',
      method: 'POST',
      path: '/',
      headers,
      body: JSON.stringify(body),
    })
    // A list fails in the emulator if a function writes its first line meanwhile: "dictionary changed size during iteration".
    if (status === 500 && attempt < 5) return call(operation, body, attempt + 1)
    if (status >= 300) throw new Error(`${operation} answered ${status}: ${text}`)
    return text ? JSON.parse(text) : {}
  }
  const eventsOf = async (query: object) =>
    ((await call('FilterLogEvents', query)) as { readonly events?: readonly LogEvent[] }).events ?? []
  return {
    create: async logGroupName => {
      await call('CreateLogGroup', { logGroupName })
    },
    names: async () => {
      const names: string[] = []
      for (let nextToken: string | undefined, isFirst = true; isFirst || nextToken; isFirst = false) {
        const page = await call('DescribeLogGroups', { ...(nextToken && { nextToken }) })
        names.push(...(page.logGroups as { logGroupName: string }[]).map(({ logGroupName }) => logGroupName))
        nextToken = page.nextToken
      }
      return names
    },
    messages: async logGroupName => {
      const events = await eventsOf({ logGroupName })
      return events.toSorted((a, b) => a.timestamp - b.timestamp).map(({ message }) => message)
    },
    invocations: async (logGroupName, startTime) => {
      const streams = Map.groupBy(await eventsOf({ logGroupName, startTime }), ({ logStreamName }) => logStreamName)
      return [...streams.values()].flatMap(events => {
        const report = events.findLast(({ message }) => message.startsWith('REPORT '))
        const [, duration] = /\tDuration: ([\d.]+) ms/.exec(report?.message ?? '') ?? []
        if (!report || duration === undefined) return []
        // The emulator writes all lines when the invocation has ended: the time of the first one is not that of its begin.
        const endedAt = report.timestamp
        return { lines: events.map(({ message }) => message), beganAt: endedAt - Number(duration), endedAt }
      })
    },
  }
}
