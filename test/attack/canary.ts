import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A server that nobody should connect to: it counts who does, and answers in HTTP so that a breach goes on as far as it can. */
export interface Canary extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** Connections since the last call. */
  takeCount(): number
}

export const startCanary = async (host: string): Promise<Canary> => {
  let count = 0
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    count++
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'))
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    host,
    port,
    takeCount() {
      const taken = count
      count = 0
      return taken
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
