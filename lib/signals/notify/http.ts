import { describeBody, serverMessage } from '../../foundations/rules/server-message.ts'
import type { Connections } from '../../platform/http/connections.ts'
import { retryAfterMs } from '../../platform/http/retry-after.ts'
import type { ProviderAccess } from './provider-access.ts'

export interface Outgoing {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is, with a content-type among the headers. */
  readonly body?: string
  /** Statuses that are answers too, besides 2xx. */
  readonly accept?: readonly number[]
}

export interface Answer {
  readonly status: number
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown
}

/** Sends a request to a Provider. Fails with NotDelivered. */
export type Http = (outgoing: Outgoing) => Promise<Answer>

/** The Provider did not take it. */
export class NotDelivered extends Error {
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number
  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause })
    this.name = 'NotDelivered'
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

const maxAnswerBytes = 1024 * 1024

/** Runs `work` with connections to a Provider, which it shares with others as far as its certificates and proxy allow. */
export const withHttp = async <T>(
  connections: Connections,
  { connection, timeoutMs }: ProviderAccess,
  work: (http: Http) => Promise<T>,
): Promise<T> => {
  const { agent, close } = connections.open(connection)
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return await work(async outgoing => {
      const {
        method = 'POST',
        url,
        headers = {},
        json,
        body = json === undefined ? undefined : JSON.stringify(json),
      } = outgoing
      const type = json === undefined ? {} : { 'content-type': 'application/json' }
      try {
        const { origin, pathname, search } = new URL(url)
        const answer = await agent.request({
          ...{ origin, path: pathname + search, method, body, signal },
          headers: { ...type, ...headers },
        })
        const text = await readText(answer.body)
        const { statusCode: status } = answer
        if ((status >= 200 && status < 300) || outgoing.accept?.includes(status)) return { status, json: parsed(text) }
        throw new NotDelivered(
          `request failed with status code ${status}${reasonIn(text, answer.headers['content-type'])}`,
          {
            retryAfterMs: retryAfterMs(answer.headers['retry-after']),
          },
        )
      } catch (error) {
        if (error instanceof NotDelivered) throw error
        const why = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : (error as Error).message
        throw new NotDelivered(`failed to execute request: ${why}`, { cause: error })
      }
    })
  } finally {
    await close()
  }
}

const readText = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxAnswerBytes) throw new NotDelivered(`the answer is longer than ${maxAnswerBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Services tell errors in JSON, under `message`, `error` or `detail`; of anything else, which may be any server's, only its measure is told. */
const reasonIn = (text: string, contentType: string | string[] | undefined): string => {
  const { message, error, detail } = (parsed(text) ?? {}) as Readonly<Record<string, unknown>>
  const reason = [message, error, detail].find(each => typeof each === 'string')
  const told = reason === undefined ? describeBody(Buffer.byteLength(text), contentType) : serverMessage(String(reason))
  return told && `: ${told}`
}
