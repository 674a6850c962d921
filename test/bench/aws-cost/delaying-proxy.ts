import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'

/** A TCP relay in front of a server on loopback that hands on each piece of an answer so many milliseconds late. */
export async function delayingProxy(
  target: URL,
  delayMs: number,
): Promise<AsyncDisposable & { readonly port: number }> {
  // Without Nagle's algorithm, which waits 40 ms for the acknowledgement of the piece before.
  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    client.pipe(upstream)
    upstream.on('data', chunk => setTimeout(() => client.destroyed || client.write(chunk), delayMs))
    for (const socket of [client, upstream]) socket.on('error', end).on('close', () => setTimeout(end, delayMs))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close()
    },
  }
}
