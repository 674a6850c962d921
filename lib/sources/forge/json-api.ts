import type { Dispatcher } from 'undici'
import { describeBody, serverMessage } from '../../foundations/rules/server-message.ts'
import { describeFailure } from '../../platform/http/describe-failure.ts'
import { ForgeError } from './forge.ts'

/** An API that answers in JSON, with the headers that every request carries. Fails with ForgeError. */
export interface JsonApi {
  get(url: URL): Promise<JsonAnswer>
  post(url: URL, body: unknown): Promise<JsonAnswer>
}

export interface JsonAnswer {
  readonly body: unknown
  /** With names in lower case. */
  header(name: string): string | undefined
}

export interface JsonApiOptions {
  readonly agent: Dispatcher
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** The most bytes of an answer; 16 MiB unless told. */
  readonly maxBytes?: number
}

const maxRedirects = 5

export const jsonApi = ({ agent, headers, signal, maxBytes = 16 << 20 }: JsonApiOptions): JsonApi => {
  const ask = async (method: 'GET' | 'POST', url: URL, body?: unknown, redirects = 0): Promise<JsonAnswer> => {
    const described = `${method} ${url.origin}${url.pathname}`
    const answer = await agent
      .request({
        ...{ origin: url.origin, path: url.pathname + url.search, method },
        signal,
        headers: {
          accept: 'application/json',
          'user-agent': 'keelson',
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      .catch(cause => {
        signal.throwIfAborted()
        throw new ForgeError(`${described}: ${describeFailure(url, cause)}`, { cause })
      })
    const location = headerOf(answer.headers, 'location')
    if (answer.statusCode >= 300 && answer.statusCode < 400 && location) {
      await answer.body.dump()
      const next = URL.parse(location, url.href)
      // A repository that was renamed answers so; elsewhere nobody is shown our credentials.
      if (!next || next.origin !== url.origin || redirects === maxRedirects)
        throw new ForgeError(`${described}: refused to follow the redirect to ${next?.origin ?? 'an invalid address'}`)
      return ask(method, next, body, redirects + 1)
    }
    const text = await readText(answer.body, maxBytes, described)
    if (answer.statusCode < 200 || answer.statusCode >= 300) {
      const reason = reasonIn(text) ?? describeBody(Buffer.byteLength(text), answer.headers['content-type'])
      throw new ForgeError(`${described}: ${answer.statusCode} ${reason}`.trimEnd(), { status: answer.statusCode })
    }
    return { body: parse(text, described), header: name => headerOf(answer.headers, name) }
  }
  return { get: url => ask('GET', url), post: (url, body) => ask('POST', url, body) }
}

const headerOf = (headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string) => {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

const readText = async (body: AsyncIterable<Uint8Array>, maxBytes: number, described: string): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new ForgeError(`${described}: the answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const parse = (text: string, described: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ForgeError(`${described}: the answer is no JSON`, { cause })
  }
}

/** What the server says went wrong, if it says so in the form of a forge: `message` or `error` in JSON. */
const reasonIn = (text: string): string | undefined => {
  try {
    const { message, error } = JSON.parse(text) as { readonly message?: unknown; readonly error?: unknown }
    const reason = message ?? error
    return typeof reason === 'string' ? serverMessage(reason) : undefined
  } catch {
    return undefined
  }
}
