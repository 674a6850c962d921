import { awsRequests } from './aws-request.ts'
import type { AwsEmulator } from './emulator.ts'

export interface LogGroups {
  create(group: string): Promise<void>
  /** The messages of all streams, by time. */
  messages(group: string): Promise<readonly string[]>
}

/** CloudWatch Logs of the emulator. */
export const logGroups = (emulator: AwsEmulator): LogGroups => {
  const aws = awsRequests(emulator)
  const call = async (operation: string, body: object) => {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `Logs_20140328.${operation}` }
    const { status, text } = await aws({
      service: 'logs',
      method: 'POST',
      path: '/',
      headers,
      body: JSON.stringify(body),
    })
    if (status >= 300) throw new Error(`${operation} answered ${status}: ${text}`)
    return text ? JSON.parse(text) : {}
  }
  return {
    create: async logGroupName => {
      await call('CreateLogGroup', { logGroupName })
    },
    messages: async logGroupName => {
      const { events = [] } = (await call('FilterLogEvents', { logGroupName })) as {
        events?: { message: string; timestamp: number }[]
      }
      return events.toSorted((a, b) => a.timestamp - b.timestamp).map(({ message }) => message)
    },
  }
}
