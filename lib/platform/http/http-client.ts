import type { Dispatcher } from 'undici'
import { describeFailure } from './describe-failure.ts'

export interface HttpRequest {
  readonly url: URL
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT'
  /** An `authorization` goes to the URL's own origin only. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export interface HttpResponse {
  readonly method: string
  /** Where the answer came from, after redirects. */
  readonly url: URL
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The whole body; fails when it is larger. */
  bytes(most: number): Promise<Buffer>
  /** The body piece by piece. */
  chunks(): AsyncIterable<Uint8Array>
  /** Has no use for the body. */
  discard(): Promise<void>
}

export type HttpErrorCode =
  /** DNS, connection, TLS, or a time limit: the server did not answer. */
  | 'unreachable'
  /** A redirect that leads astray, or nowhere. */
  | 'protocol'
  | 'tooLarge'

/** Makes the error that an exchange fails with. */
export type MakeError = (code: HttpErrorCode, message: string, cause?: unknown) => Error

/** One request and its answer. Fails with what `Failing` makes. */
export type SendRequest = (request: HttpRequest) => Promise<HttpResponse>

const MAX_REDIRECTS = 5
const redirects = [301, 302, 303, 307, 308]
/** Of a server that may do better at once. */
const worthARetry = [500, 502, 503, 504]

/** Redirects of GET and HEAD are followed, never from https to http, and without the credentials to another origin. */
export const httpClient = (agent: Dispatcher, signal: AbortSignal, fail: MakeError): SendRequest => {
  const unreachable = (method: string, url: URL, cause: unknown) =>
    fail('unreachable', unreachableWords(method, url, cause), cause)

  const send = async ({ url, method = 'GET', headers = {}, body }: HttpRequest): Promise<Dispatcher.ResponseData> => {
    try {
      return await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { 'user-agent': 'keelson', ...headers },
        signal,
        ...(body && { body }),
      })
    } catch (cause) {
      throw unreachable(method, url, cause)
    }
  }

  const patiently = async (request: HttpRequest): Promise<Dispatcher.ResponseData> => {
    const isRepeatable = request.method === undefined || request.method === 'GET' || request.method === 'HEAD'
    if (!isRepeatable) return send(request)
    const answer = await send(request).catch(error => {
      if (signal.aborted || !isReset(error)) throw error
      return undefined // a kept connection that the server has closed meanwhile
    })
    if (answer && !worthARetry.includes(answer.statusCode)) return answer
    await answer?.body.dump()
    return send(request)
  }

  return async request => {
    let { url, headers } = request
    const method = request.method ?? 'GET'
    for (let followed = 0; followed <= MAX_REDIRECTS; followed++) {
      const answer = await patiently({ ...request, url, ...(headers && { headers }) })
      const next = method === 'GET' || method === 'HEAD' ? await redirectOf(answer, url, fail) : undefined
      if (!next) return answerOf(method, url, answer, fail)
      if (next.origin !== url.origin && headers) {
        const { authorization, ...others } = headers
        headers = others
      }
      url = next
    }
    throw fail('protocol', `${request.url.origin} redirects more than ${MAX_REDIRECTS} times`)
  }
}

const isReset = (error: unknown): boolean => {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: string }
  return code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE'
}

const redirectOf = async ({ statusCode, headers, body }: Dispatcher.ResponseData, from: URL, fail: MakeError) => {
  if (!redirects.includes(statusCode) || typeof headers.location !== 'string') return undefined
  await body.dump()
  const to = URL.parse(headers.location, from.href)
  const isSafe = to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:')
  if (!to || !isSafe) {
    const where = to ? `${to.protocol}//${to.host}` : 'an invalid address'
    throw fail('protocol', `${from.origin + from.pathname} redirects to ${where}`)
  }
  to.username = ''
  to.password = ''
  return to
}

const answerOf = (
  method: string,
  url: URL,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  fail: MakeError,
): HttpResponse => {
  async function* chunks() {
    try {
      for await (const chunk of body) yield chunk as Uint8Array
    } catch (cause) {
      throw fail('unreachable', unreachableWords(method, url, cause), cause)
    }
  }
  return {
    method,
    url,
    status: statusCode,
    headers,
    chunks,
    bytes: async most => {
      const parts: Uint8Array[] = []
      let size = 0
      for await (const chunk of chunks()) {
        size += chunk.length
        if (size > most) throw fail('tooLarge', `${url.origin + url.pathname} is larger than ${most} bytes`)
        parts.push(chunk)
      }
      return Buffer.concat(parts)
    },
    discard: () => body.dump(),
  }
}

/** In the words of Go's HTTP client; the query may hold a signature. */
const unreachableWords = (method: string, url: URL, cause: unknown): string => {
  const verb = method.charAt(0) + method.slice(1).toLowerCase()
  return `${verb} "${url.origin + url.pathname}": ${describeFailure(url, cause)}`
}
