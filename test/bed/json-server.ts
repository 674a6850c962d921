import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endWithTest } from './teardown.ts'

export interface JsonRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** What is answered: JSON, unless `text` is given. */
export interface JsonReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
}

export interface JsonServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** What it was asked, in order. */
  readonly requests: readonly JsonRequest[]
}

type Answer = (request: JsonRequest) => JsonReply | undefined

/** An HTTP server with given responses, and 404 for others. Closed when the test ends. */
export const jsonServer = async (answer: Answer): Promise<JsonServer> => endWithTest(await startJsonServer(answer))

/** The same, which the caller disposes of, for use outside of tests. */
export const startJsonServer = async (answer: Answer): Promise<JsonServer> => {
  const requests: JsonRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://x')
    const request: JsonRequest = {
      method: incoming.method ?? 'GET',
      path: pathname,
      query: searchParams,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    }
    requests.push(request)
    const {
      status = 200,
      headers = {},
      json,
      text,
    } = answer(request) ?? { status: 404, json: { message: 'Not Found' } }
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text ?? JSON.stringify(json))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** A page of a list as in GitHub, GitLab and Gitea: the header `Link` has the next one. */
export const page = (
  { path, query }: JsonRequest,
  items: readonly unknown[],
  size: number,
  origin: string,
): JsonReply => {
  const at = Number(query.get('page') ?? 1)
  const rest = new URLSearchParams(query)
  rest.set('page', String(at + 1))
  const hasMore = at * size < items.length
  return {
    json: items.slice((at - 1) * size, at * size),
    headers: hasMore ? { link: `<${origin}${path}?${rest}>; rel="next", <${origin}${path}>; rel="first"` } : {},
  }
}
