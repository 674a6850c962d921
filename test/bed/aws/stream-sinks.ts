import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A receiver of what a function streams. */
export interface StreamTaker {
  /** As the function wrote it, head and zeros included. */
  chunk(bytes: Buffer): void
  end(): void
}

/** Where the functions' side (lambda-runtime.cjs) sends what a streaming function writes, while it writes it. */
export interface StreamSinks extends AsyncDisposable {
  /** An address for one stream, until it is closed. */
  open(taker: StreamTaker): { readonly url: string; close(): void }
}

/** The header of an event that names a function's sink. */
export const sinkHeader = 'x-keelson-stream-sink'

export async function streamSinks(): Promise<StreamSinks> {
  const waiting = new Map<string, StreamTaker>()
  const server = createServer((request, acknowledgement) => {
    const taker = waiting.get(request.url ?? '')
    if (!taker) return void acknowledgement.writeHead(404).end()
    request.on('data', (chunk: Buffer) => taker.chunk(chunk))
    request.on('end', () => {
      taker.end()
      acknowledgement.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    open(taker) {
      const path = `/${randomUUID()}`
      waiting.set(path, taker)
      return { url: `http://127.0.0.1:${port}${path}`, close: () => void waiting.delete(path) }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
