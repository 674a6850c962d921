import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Ports of loopback for servers that are started in a moment, or again later. They are below those that systems hand out
 * to connections, of which any may have taken the port by then: even one that asks for the very server.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held = new Map<number, Server>()
  while (held.size < count) {
    const port = 20_000 + randomInt(10_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (isFree) held.set(port, server)
  }
  for (const server of held.values()) await once(server.close(), 'close')
  return [...held.keys()]
}

export const freePort = async (): Promise<number> => (await freePorts(1))[0]!
