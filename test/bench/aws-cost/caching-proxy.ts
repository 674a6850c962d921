import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface CachingProxy extends AsyncDisposable {
  readonly url: string
  /** What was answered before is asked for again. */
  forget(): void
}

/**
 * A relay in front of an HTTP server that answers what it has answered before, each time so many milliseconds late: so that what is measured
 * is the time of a server elsewhere, not that of one which shares this machine's processors.
 */
export async function cachingProxy(target: URL, delayMs: number): Promise<CachingProxy> {
  const known = new Map<string, Promise<Answer>>()
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const key = `${request.method} ${request.url} ${body.toString('base64')}`
    const answering = known.get(key) ?? ask(target, request.method!, request.url!, request.headers, body)
    known.set(key, answering)
    const [{ status, headers, content }] = await Promise.all([answering, sleep(delayMs)])
    response.writeHead(status, headers).end(content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`,
    forget: () => known.clear(),
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly content: Buffer
}

const ask = async (
  target: URL,
  method: string,
  path: string,
  headers: NodeJS.Dict<string | string[]>,
  body: Buffer,
): Promise<Answer> => {
  const request = send({
    hostname: target.hostname,
    port: target.port,
    method,
    path,
    headers: { ...headers, host: target.host },
  })
  request.end(body)
  const [response] = await once(request, 'response')
  const content = await bodyOf(response)
  const type = response.headers['content-type']
  return { status: response.statusCode, headers: type ? { 'content-type': type } : {}, content }
}

const bodyOf = async (stream: AsyncIterable<Buffer>): Promise<Buffer> => Buffer.concat(await Array.fromAsync(stream))
