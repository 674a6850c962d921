import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

/** From the first port to the one before `end`. */
export interface PortRange {
  readonly first: number
  readonly end: number
}

/**
 * TCP ports of loopback for servers that are started in a moment, or again later. They are below those that the system hands out to
 * connections, of which any may have taken the port by then: even one that asks for the very server. No other test gets them while this
 * process lives: it holds the UDP ports of the same numbers, which nobody else wants. Rejects when the range has no more.
 */
export async function freePorts(count: number, range: PortRange = belowEphemeral()): Promise<readonly number[]> {
  const held: Server[] = []
  const ports: number[] = []
  for (const port of shuffled(range)) {
    if (ports.length === count) break
    if (!(await reserved(port))) continue
    const server = createServer().listen(port, '127.0.0.1')
    if (!(await begins(server))) continue
    held.push(server)
    ports.push(port)
  }
  for (const server of held) await once(server.close(), 'close')
  if (ports.length < count) throw new Error(`${range.first} to ${range.end - 1}: no more free ports`)
  return ports
}

export const freePort = async (range?: PortRange): Promise<number> => (await freePorts(1, range))[0]!

/** Whether nobody has reserved it before. Ends with the process. */
function reserved(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  socket.unref()
  return begins(socket)
}

const begins = (it: Server | Socket): Promise<boolean> =>
  once(it, 'listening').then(
    () => true,
    () => false,
  )

const ephemeralRange = '/proc/sys/net/ipv4/ip_local_port_range'

function belowEphemeral(): PortRange {
  const lowest = existsSync(ephemeralRange) ? Number.parseInt(readFileSync(ephemeralRange, 'utf8'), 10) : 32_768
  return lowest > 12_000 ? { first: 10_000, end: lowest } : { first: 2_000, end: Math.max(lowest, 12_000) }
}

function* shuffled({ first, end }: PortRange): Generator<number> {
  const ports = Array.from({ length: end - first }, (_, index) => first + index)
  while (ports.length > 0) {
    const index = Math.floor(Math.random() * ports.length)
    yield ports[index]!
    ports[index] = ports.at(-1)!
    ports.pop()
  }
}
