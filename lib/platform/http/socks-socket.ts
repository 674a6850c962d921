import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import type { AddressCheck } from '../../foundations/rules/address-policy.ts'
import { requireAllowed } from './guarded-lookup.ts'
import { guardedSocket } from './guarded-socket.ts'

const defaultPort = 1080

/**
 * A TCP connection to a host through a SOCKS 5 proxy (RFC 1928), whose URL may contain a user and password (RFC 1929). The proxy resolves the name.
 * Fails with messages of Go's client.
 */
export const socksSocket = async (
  proxy: URL,
  host: string,
  port: number,
  signal: AbortSignal,
  forbids: AddressCheck,
): Promise<Socket> => {
  requireAllowed(host, forbids)
  const proxyPort = Number(proxy.port) || defaultPort
  const socket = await guardedSocket(proxy.hostname.replace(/^\[|\]$/g, ''), proxyPort, signal, forbids)
  try {
    await authenticate(socket, proxy, signal)
    await requestConnection(socket, host, port, signal)
    return socket
  } catch (error) {
    socket.destroy()
    signal.throwIfAborted()
    const route = `${proxy.hostname}:${proxyPort}->${host}:${port}`
    throw new Error(`socks connect tcp ${route}: ${(error as Error).message}`, { cause: error })
  }
}

const version = 5
const methods = { none: 0, password: 2 }

const authenticate = async (socket: Socket, { username, password }: URL, signal: AbortSignal): Promise<void> => {
  const offered = username ? [methods.none, methods.password] : [methods.none]
  socket.write(Buffer.from([version, offered.length, ...offered]))
  const [serverVersion, method] = await read(socket, 2, signal)
  if (serverVersion !== version) throw new Error(`unexpected protocol version ${serverVersion}`)
  if (method === methods.none) return
  if (method !== methods.password || !username) throw new Error('no acceptable authentication methods')
  const [user, secret] = [username, password].map(text => Buffer.from(decodeURIComponent(text))) as [Buffer, Buffer]
  if (user.length > 255 || secret.length > 255) throw new Error('invalid username/password')
  socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]))
  const [, refused] = await read(socket, 2, signal)
  if (refused) throw new Error('username/password authentication failed')
}

const refusals = [
  'general SOCKS server failure',
  'connection not allowed by ruleset',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'TTL expired',
  'command not supported',
  'address type not supported',
]
const connect = 1
const kinds = { ipv4: 1, name: 3, ipv6: 4 }

const requestConnection = async (socket: Socket, host: string, port: number, signal: AbortSignal): Promise<void> => {
  socket.write(Buffer.from([version, connect, 0, ...addressOf(host), port >> 8, port & 255]))
  const [, refused = 0, , kind] = await read(socket, 4, signal)
  if (refused) throw new Error(`unknown error ${refusals[refused - 1] ?? `code: ${refused}`}`)
  const [length = 0] = kind === kinds.name ? await read(socket, 1, signal) : [kind === kinds.ipv6 ? 16 : 4]
  await read(socket, length + 2, signal) // the address that the proxy connects from; not needed
}

const addressOf = (host: string): readonly number[] => {
  if (isIP(host) === 4) return [kinds.ipv4, ...host.split('.').map(Number)]
  const name = Buffer.from(host)
  if (name.length > 255) throw new Error('FQDN too long')
  return [kinds.name, name.length, ...name]
}

const read = async (socket: Socket, count: number, signal: AbortSignal): Promise<Buffer> => {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null
    if (bytes?.length === count) return bytes
    if (bytes || socket.readableEnded || socket.destroyed) throw new Error('EOF')
    const done = new AbortController()
    const either = { signal: AbortSignal.any([signal, done.signal]) }
    await Promise.race([once(socket, 'readable', either), once(socket, 'close', either)]).finally(() => done.abort())
  }
}
