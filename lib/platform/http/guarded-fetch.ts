import type { Connections } from './connections.ts'
import { type HttpFailure, httpClient } from './http-client.ts'
import type { HttpMethod, HttpPolicy } from './http-policy.ts'

/** The subset of `fetch` that is used: text bodies, and redirects are not followed. */
export type GuardedFetch = (
  url: string,
  init?: {
    readonly method?: string
    readonly headers?: RequestInit['headers']
    readonly body?: string
    readonly signal?: AbortSignal | null
  },
) => Promise<Response>

/** For libraries and clouds with rules of their own. */
const fetchPolicy: HttpPolicy = { retries: false }

/** `fetch` that refuses forbidden addresses, including those that a name resolves to. Fails with the connection's error. */
export const guardedFetch = (connections: Pick<Connections, 'open'>): GuardedFetch => {
  const { agent } = connections.open()
  const fail = ({ cause }: HttpFailure) => cause as Error
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    const send = httpClient({ agent, policy: fetchPolicy, signal: signal ?? undefined, fail })
    const response = await send({
      ...{ url: new URL(url), method: method as HttpMethod, headers: Object.fromEntries(new Headers(headers)) },
      ...(body !== undefined && { body }),
    })
    const { status } = response
    const lines = Object.entries(response.headers).flatMap(([name, value = []]) =>
      [value].flat().map((line): [string, string] => [name, line]),
    )
    if (!bodiless.includes(status))
      return new Response(ReadableStream.from(response.chunks()) as never, { status, headers: lines })
    await response.discard()
    return new Response(null, { status, headers: lines })
  }
}

const bodiless = [204, 205, 304]
