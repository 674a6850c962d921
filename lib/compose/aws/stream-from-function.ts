import { type EventMessage, eventMessages } from '../../platform/cloud/aws/event-stream.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import { signRequest } from '../../platform/cloud/aws/sign-request.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import type { InvokedFunction } from './invoke-function.ts'

/** Invokes a function with an event, and returns what it streams. */
export type StreamFrom = (event: object, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>

/**
 * Invokes another function of the hub that streams its response (Lambda's InvokeWithResponseStream). If the function fails, the promise fails
 * with CloudError, or the stream if it has begun.
 */
export const streamFromFunction =
  (
    cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
    { functionName, region, identity }: InvokedFunction,
  ): StreamFrom =>
  async (event, signal) => {
    const request = {
      method: 'POST',
      url: `${endpointOf('lambda', region, cloud.environment)}/2021-11-15/functions/${functionName}/response-streaming-invocations`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    }
    const scope = { service: 'lambda', region, now: cloud.clock.now() }
    const { host: _, ...headers } = await signRequest(request, await identity(), scope)
    const response = await cloud.fetch(request.url, { ...request, headers, redirect: 'manual', signal })
    if (response.status === 200 && response.body) return chunksOf(eventMessages(response.body), functionName)
    const { status } = response
    throw new CloudError('AWS', `the function ${functionName} can't be invoked: Lambda responded ${status}`, { status })
  }

async function* chunksOf(
  messages: AsyncIterable<EventMessage>,
  functionName: string,
): AsyncGenerator<Uint8Array, void> {
  for await (const { headers, payload } of messages) {
    const type = headers.get(':event-type')
    if (type === 'PayloadChunk') yield payload
    else if (type !== 'InvokeComplete' || 'ErrorCode' in JSON.parse(payload.toString() || '{}'))
      throw new CloudError('AWS', `the function ${functionName} failed: see its log`)
  }
}
