import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Connections } from './connections.ts'

/** As much of `fetch` as is needed: a text goes out, and redirects are answers. */
export type GuardedFetch = (
  url: string,
  init?: {
    readonly method?: string
    readonly headers?: RequestInit['headers']
    readonly body?: string
    readonly signal?: AbortSignal | null
  },
) => Promise<Response>

/** `fetch` that connects to no link-local address, whatever a name resolves to. Fails with the connection's own error. */
export const guardedFetch = (wires: Connections): GuardedFetch => {
  const { agent } = wires.open()
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    const { origin, pathname, search } = new URL(url)
    const answer = await agent.request({
      ...{ origin, path: pathname + search, method: method as Dispatcher.HttpMethod, body, signal },
      headers: Object.fromEntries(new Headers(headers)),
    })
    const { statusCode: status } = answer
    const lines = Object.entries(answer.headers).flatMap(([name, value = []]) =>
      [value].flat().map((line): [string, string] => [name, line]),
    )
    if (!bodiless.includes(status))
      return new Response(Readable.toWeb(answer.body) as never, { status, headers: lines })
    await answer.body.dump()
    return new Response(null, { status, headers: lines })
  }
}

const bodiless = [204, 205, 304]
