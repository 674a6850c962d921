import { describeBody, serverMessage } from '../../foundations/rules/server-message.ts'
import type { Connections } from '../../platform/http/connections.ts'
import { httpClient } from '../../platform/http/http-client.ts'
import type { HttpPolicy } from '../../platform/http/http-policy.ts'
import { retryAfterMs } from '../../platform/http/retry-after.ts'
import type { ProviderAccess } from './provider-access.ts'

export interface ProviderRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent unchanged, with its content-type in the headers. */
  readonly body?: string
  /** Accepted statuses besides 2xx. */
  readonly accept?: readonly number[]
}

export interface ProviderResponse {
  readonly status: number
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown
}

/** Sends a request to a Provider. Fails with NotDelivered. */
export type Http = (outgoing: ProviderRequest) => Promise<ProviderResponse>

/** The Provider did not accept the notification. */
export class NotDelivered extends Error {
  /** Milliseconds to wait, as requested by the server. */
  readonly retryAfterMs?: number
  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause })
    this.name = 'NotDelivered'
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

const maxResponseBytes = 1024 * 1024

/** No retries here, as the outbox retries. Redirects are not followed, and count as errors. */
const providerPolicy: HttpPolicy = { retries: false }

/**
 * Runs `work` with connections to a Provider, which are shared with other Providers that have the same certificates and
 * proxy.
 */
export const withHttp = async <T>(
  connections: Connections,
  { connection, timeoutMs }: ProviderAccess,
  work: (http: Http) => Promise<T>,
): Promise<T> => {
  const { agent, close } = connections.open(connection)
  const signal = AbortSignal.timeout(timeoutMs)
  const send = httpClient({
    ...{ agent, policy: providerPolicy, signal },
    fail: ({ code, reason, cause }) => {
      if (code === 'tooLarge') return new NotDelivered(`the response ${reason}`)
      const why = signal.aborted ? `no response within ${timeoutMs / 1000} s` : (cause as Error).message
      return new NotDelivered(`failed to execute request: ${why}`, { cause })
    },
  })
  try {
    return await work(async outgoing => {
      const { method = 'POST', headers = {}, json } = outgoing
      const body = json === undefined ? outgoing.body : JSON.stringify(json)
      const response = await send({
        ...{
          url: addressOf(outgoing),
          method,
          headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
        },
        ...(body !== undefined && { body }),
      })
      const text = (await response.bytes(maxResponseBytes)).toString()
      const { status } = response
      if ((status >= 200 && status < 300) || outgoing.accept?.includes(status)) return { status, json: parsed(text) }
      throw new NotDelivered(
        `request failed with status code ${status}${reasonIn(text, response.headers['content-type'])}`,
        { retryAfterMs: retryAfterMs(response.headers['retry-after']) },
      )
    })
  } finally {
    await close()
  }
}

const addressOf = ({ url }: ProviderRequest): URL => {
  try {
    return new URL(url)
  } catch (cause) {
    throw new NotDelivered(`failed to execute request: ${(cause as Error).message}`, { cause })
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Services report errors in JSON, under `message`, `error` or `detail`. Any other body is described only by its size
 * and type, as it may come from any server.
 */
const reasonIn = (text: string, contentType: string | string[] | undefined): string => {
  const { message, error, detail } = (parsed(text) ?? {}) as Readonly<Record<string, unknown>>
  const reason = [message, error, detail].find(each => typeof each === 'string')
  const description =
    reason === undefined ? describeBody(Buffer.byteLength(text), contentType) : serverMessage(String(reason))
  return description && `: ${description}`
}
