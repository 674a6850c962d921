import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'

export interface ApiResponse {
  readonly status: number
  /** Parsed when it is JSON, else the text. */
  readonly body: unknown
}

export interface OpenAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The answer, in case somebody reads it after all. */
  readonly stream: IncomingMessage
  /** Whether the hub still holds it open: it has neither ended the answer nor broken the connection. */
  isOpen(): boolean
  close(): void
}

/** A caller of the hub's API, with a token and nothing else. */
export interface ApiClient {
  /** One request, never repeated; a body is sent as JSON, and text as it is. */
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiResponse>
  /** A GET on a connection of its own, whose answer nobody reads. */
  open(path: string): Promise<OpenAnswer>
  /** A merge patch of an object or of its subresource. */
  patch(path: string, patch: object): Promise<ApiResponse>
  /** The same API as somebody else. */
  withToken(token: string): ApiClient
}

interface Access {
  readonly server: string
  readonly ca: Buffer
  readonly token: string
}

const timeoutMs = 20_000
/** The server may close a connection on which more is sent than it takes: no other request may meet with that. */
const largeBody = 1_000_000

export const apiClient = ({ server, ca, token }: Access): ApiClient => {
  const request: ApiClient['request'] = async (method, path, body, headers = {}) => {
    const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    const all = {
      authorization: `Bearer ${token}`,
      // Node frames no body of a DELETE by itself.
      ...(sent !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      ...headers,
    }
    const ask = (isAlone: boolean) => {
      const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>()
      const options = { method, ca, headers: all, timeout: timeoutMs, ...(isAlone && { agent: false as const }) }
      const call = httpsRequest(server + path, options, response => {
        text(response).then(answer => resolve({ status: response.statusCode!, body: parsed(answer) }), reject)
      })
      call.once('error', (error: NodeJS.ErrnoException) => {
        // As Go's client: the server may have closed a connection just when it was used again.
        if (call.reusedSocket && error.code === 'ECONNRESET') ask(true).then(resolve, reject)
        else reject(error)
      })
      call.once('timeout', () => call.destroy(new Error(`${method} ${path}: no answer within ${timeoutMs / 1000} s`)))
      call.end(sent)
      return promise
    }
    return ask(sent !== undefined && sent.length > largeBody)
  }
  const open: ApiClient['open'] = async path => {
    const call = httpsRequest(server + path, { ca, headers: { authorization: `Bearer ${token}` }, agent: false })
    call.end()
    const [stream] = (await once(call, 'response')) as [IncomingMessage]
    const { statusCode, headers } = stream
    stream.on('error', () => {})
    call.on('error', () => {})
    const isOpen = () => !stream.complete && !stream.destroyed
    return { status: statusCode!, headers, stream, isOpen, close: () => call.destroy() }
  }
  return {
    request,
    open,
    patch: (path, patch) => request('PATCH', path, patch, { 'content-type': 'application/merge-patch+json' }),
    withToken: other => apiClient({ server, ca, token: other }),
  }
}

const parsed = (answer: string): unknown => {
  try {
    return JSON.parse(answer)
  } catch {
    return answer
  }
}
