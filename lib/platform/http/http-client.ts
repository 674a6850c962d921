import type { Dispatcher } from 'undici'
import { describeFailure } from './describe-failure.ts'
import type { HttpAgent } from './guarded-agent.ts'
import type { HttpMethod, HttpPolicy, RedirectPolicy } from './http-policy.ts'
import { isStaleConnection } from './stale-connection.ts'

export interface HttpRequest {
  readonly url: URL
  readonly method?: HttpMethod
  /** An `authorization` is sent to the URL's own origin only. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

export interface HttpResponse {
  readonly method: HttpMethod
  /** The final URL after redirects. */
  readonly url: URL
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The whole body. Fails if it is larger than `maxBytes`. */
  bytes(maxBytes: number): Promise<Buffer>
  /** The body in chunks. Fails once it is larger than `maxBytes`. */
  chunks(maxBytes?: number): AsyncIterable<Uint8Array>
  /** The beginning of the body: at least `minBytes`, or all of it. Drops the rest. */
  prefix(minBytes: number): Promise<Buffer>
  /** Drops the body. */
  discard(): Promise<void>
}

export interface HttpFailure {
  readonly code: /** DNS, connection, TLS or timeout: no response, or an incomplete one. */
    | 'unreachable'
    /** A redirect that the policy refuses, or too many of them. */
    | 'protocol'
    | 'tooLarge'
  readonly method: HttpMethod
  readonly url: URL
  /** What went wrong, without the address; for `unreachable` in the words of Go's HTTP client. */
  readonly reason: string
  readonly cause?: unknown
}

/** Creates the caller's error. */
export type MakeError = (failure: HttpFailure) => Error

export interface HttpClientOptions {
  /** Decides where requests connect, see `guardedAgent`; a function returns one per URL. */
  readonly agent: HttpAgent | ((url: URL) => HttpAgent)
  readonly policy: HttpPolicy
  /** Absent = only the agent's own timeouts apply. */
  readonly signal?: AbortSignal | undefined
  readonly fail: MakeError
}

/** Sends a request and returns the response after redirects, whatever its status. Fails with the errors of `fail`. */
export type SendRequest = (request: HttpRequest) => Promise<HttpResponse>

/** The client for all external servers except clusters: callers differ in their policies and errors. */
export const httpClient = ({ agent, policy, signal, fail }: HttpClientOptions): SendRequest => {
  const agentFor = typeof agent === 'function' ? agent : () => agent
  const introduction = policy.userAgent ? { 'user-agent': policy.userAgent } : {}

  const once = async ({ url, method = 'GET', headers, body }: HttpRequest): Promise<Dispatcher.ResponseData> => {
    try {
      return await agentFor(url).request({
        ...{ origin: url.origin, path: url.pathname + url.search, method },
        ...(signal && { signal }),
        headers: { ...introduction, ...(policy.sendsUserInfo && userInfoOf(url)), ...headers },
        ...(body !== undefined && { body }),
      })
    } catch (cause) {
      throw fail(unreachable(method, url, cause))
    }
  }

  const send = async (request: HttpRequest): Promise<Dispatcher.ResponseData> => {
    const { method = 'GET' } = request
    if (!policy.retries || (method !== 'GET' && method !== 'HEAD')) return once(request)
    const response = await once(request).catch(error => {
      if (signal?.aborted || !isStaleConnection(error)) throw error
      return undefined
    })
    if (response && !retryableStatuses.includes(response.statusCode)) return response
    await response?.body.dump()
    return once(request)
  }

  return async request => {
    const { method = 'GET' } = request
    const redirects = policy.redirects?.methods.includes(method) ? policy.redirects : undefined
    let { url, headers } = request
    for (let followed = 0; ; followed++) {
      const response = await send({ ...request, url, ...(headers && { headers }) })
      const next = redirects && (await followRedirect(response, { method, url, fail }, redirects))
      if (!next) return responseOf(response, { method, url, fail })
      if (followed === redirects.max) {
        throw fail({ code: 'protocol', method, url: request.url, reason: `redirects more than ${redirects.max} times` })
      }
      if (next.origin !== url.origin && headers) {
        const { authorization: _, ...others } = headers
        headers = others
      }
      if (!policy.sendsUserInfo) [next.username, next.password] = ['', '']
      url = next
    }
  }
}

/** Statuses after which an immediate retry may succeed. */
const retryableStatuses = [500, 502, 503, 504]
const redirectStatuses = [301, 302, 303, 307, 308]

/** One request in a chain of redirects. */
interface Hop {
  readonly method: HttpMethod
  readonly url: URL
  readonly fail: MakeError
}

/** The target of a redirect; undefined if the response is not one. */
const followRedirect = async (
  { statusCode, headers: { location }, body }: Dispatcher.ResponseData,
  { method, url: from, fail }: Hop,
  { allows = () => true }: RedirectPolicy,
): Promise<URL | undefined> => {
  if (!redirectStatuses.includes(statusCode) || typeof location !== 'string') return undefined
  await body.dump()
  const to = URL.parse(location, from.href)
  const isSafe = to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:')
  if (to && isSafe && allows(to, from)) return to
  const where = to ? `${to.protocol}//${to.host}${to.pathname}` : 'an invalid address'
  throw fail({ code: 'protocol', method, url: from, reason: `redirects to ${where}` })
}

const responseOf = (
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { method, url, fail }: Hop,
): HttpResponse => {
  async function* received(maxBytes: number): AsyncGenerator<Uint8Array> {
    let size = 0
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        size += chunk.byteLength
        if (size > maxBytes) break
        yield chunk
      }
    } catch (cause) {
      throw fail(unreachable(method, url, cause))
    }
    if (size > maxBytes) throw fail({ code: 'tooLarge', method, url, reason: `is larger than ${maxBytes} bytes` })
  }
  return {
    ...{ method, url, status: statusCode, headers },
    bytes: async maxBytes => Buffer.concat(await Array.fromAsync(received(maxBytes))),
    chunks: (maxBytes = Number.POSITIVE_INFINITY) => received(maxBytes),
    prefix: async minBytes => {
      const parts: Uint8Array[] = []
      let size = 0
      for await (const chunk of received(Number.POSITIVE_INFINITY)) {
        parts.push(chunk)
        size += chunk.byteLength
        if (size >= minBytes) break
      }
      return Buffer.concat(parts)
    },
    discard: () => body.dump(),
  }
}

const unreachable = (method: HttpMethod, url: URL, cause: unknown): HttpFailure => ({
  ...{ code: 'unreachable', method, url, cause },
  reason: describeFailure(url, cause),
})

/** A failure with its address, in the words of Go's HTTP client. The query is omitted: it may contain a signature. */
export const describeHttpFailure = ({ code, method, url, reason }: HttpFailure): string => {
  const address = url.origin + url.pathname
  if (code !== 'unreachable') return `${address} ${reason}`
  return `${method.charAt(0) + method.slice(1).toLowerCase()} "${address}": ${reason}`
}

const userInfoOf = ({ username, password }: URL): Readonly<Record<string, string>> => {
  if (!username) return {}
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(plain).toString('base64')}` }
}
