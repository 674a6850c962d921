import { describeBody, serverMessage } from '../../foundations/rules/server-message.ts'
import type { HttpAgent } from '../../platform/http/guarded-agent.ts'
import { httpClient } from '../../platform/http/http-client.ts'
import type { HttpPolicy } from '../../platform/http/http-policy.ts'
import { ForgeError } from './forge.ts'

/** A JSON API client with fixed headers. Fails with ForgeError. */
export interface JsonApi {
  get(url: URL): Promise<JsonApiResponse>
  post(url: URL, body: unknown): Promise<JsonApiResponse>
  put(url: URL, body: unknown): Promise<JsonApiResponse>
  patch(url: URL, body: unknown): Promise<JsonApiResponse>
}

export interface JsonApiResponse {
  readonly body: unknown
  /** `name` in lower case. */
  header(name: string): string | undefined
}

export interface JsonApiOptions {
  readonly agent: HttpAgent
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Of one response; 16 MiB by default. */
  readonly maxBytes?: number
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH'

/** A renamed repository redirects within its forge. Credentials are never sent to another origin. */
const forgePolicy: HttpPolicy = {
  userAgent: 'keelson',
  retries: false,
  redirects: { methods: ['GET', 'POST'], max: 5, allows: (to, from) => to.origin === from.origin },
}

/**
 * An API over an agent. Messages have the address without its query, and what the forge says in the form that it has
 * for errors.
 */
export const jsonApi = ({ agent, headers: common, signal, maxBytes = 16 << 20 }: JsonApiOptions): JsonApi => {
  const send = httpClient({
    ...{ agent, policy: forgePolicy, signal },
    fail: ({ code, method, url, reason, cause }) => {
      signal.throwIfAborted()
      const what = code === 'unreachable' ? reason : `the response ${reason}`
      return new ForgeError(`${method} ${url.origin}${url.pathname}: ${what}`, { cause })
    },
  })

  const request = async (method: Method, url: URL, body?: unknown): Promise<JsonApiResponse> => {
    const headers = { accept: 'application/json', ...common }
    const response = await send({
      ...{ url, method },
      ...(body === undefined
        ? { headers }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const described = `${method} ${response.url.origin}${response.url.pathname}`
    const text = (await response.bytes(maxBytes)).toString('utf8')
    if (response.status < 200 || response.status >= 300) {
      const reason = reasonIn(text) ?? describeBody(Buffer.byteLength(text), response.headers['content-type'])
      throw new ForgeError(`${described}: ${response.status} ${reason}`.trimEnd(), { status: response.status })
    }
    return { body: parse(text, described), header: name => [response.headers[name]].flat()[0] }
  }
  return {
    get: url => request('GET', url),
    post: (url, body) => request('POST', url, body),
    put: (url, body) => request('PUT', url, body),
    patch: (url, body) => request('PATCH', url, body),
  }
}

const parse = (text: string, described: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ForgeError(`${described}: the response is not JSON`, { cause })
  }
}

/** The server's errors, if the body has the usual format of a forge: `message`, `error` or `errors` in JSON. */
const reasonIn = (text: string): string | undefined => {
  try {
    const texts = [...new Set(textsOf(JSON.parse(text)))]
    return texts.length > 0 ? serverMessage(texts.join(': ')) : undefined
  } catch {
    return undefined
  }
}

/** GitHub: `{message, errors: [{message}]}`; GitLab: `{message: ['...']}`; Bitbucket: `{error: {message}}`, `{errors: [{message}]}`. */
const textsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (typeof value !== 'object' || value === null) return []
  const { message, error, errors } = value as Readonly<Record<'message' | 'error' | 'errors', unknown>>
  return [message ?? error, errors].flatMap(textsOf)
}
