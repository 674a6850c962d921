import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { serverMessage } from '../../../foundations/rules/server-message.ts'
import type { ConnectionOptions, Connections } from '../../../platform/http/connections.ts'
import { tlsSettings } from '../../../platform/http/guarded-agent.ts'
import { NotDelivered } from '../http.ts'

/** Returns the fields that authenticate the client, given the server's nonce. */
export type NatsCredential = (nonce: string) => Readonly<Record<string, string>>

/** A connection to a NATS server after its greeting. */
export interface NatsConnection extends AsyncDisposable {
  /** Authenticates, publishes, and waits until the server has processed the message. Fails with NotDelivered. */
  publish(subject: string, payload: string, credential: NatsCredential): Promise<void>
}

/** The server's greeting. */
interface Info {
  readonly nonce?: string
  readonly max_payload?: number
  readonly tls_required?: boolean
  readonly auth_required?: boolean
}

const defaultPort = 4222
const maxLineBytes = 64 * 1024

/** Connects, with TLS if the address, the server or the Provider's certificates require it. Fails with NotDelivered. */
export const openNats = async (
  url: URL,
  connections: Pick<Connections, 'socket'>,
  { tls, proxy }: ConnectionOptions,
  signal: AbortSignal,
): Promise<NatsConnection> => {
  if (proxy && proxy.protocol !== 'socks5:')
    throw new Error('a provider of type nats requires a socks5 proxy: NATS does not use HTTP')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const failed = (error: unknown) =>
    new NotDelivered(`error connecting to server: ${(error as Error).message}`, { cause: error })
  const port = Number(url.port) || defaultPort
  let socket = await connections.socket(host, port, signal, proxy).catch(error => {
    throw failed(error)
  })
  const end = () => socket.destroy()
  signal.addEventListener('abort', end)
  try {
    const greeting = linesOf(socket)
    const info = infoIn(await greeting.next())
    const isSecure = url.protocol === 'tls:' || info.tls_required || tls !== undefined
    let lines = greeting
    if (isSecure) {
      greeting.stop()
      socket = await secured(socket, host, tls)
      lines = linesOf(socket)
    }
    return {
      publish: (subject, payload, credential) => talk({ socket, lines, info, isSecure }, subject, payload, credential),
      [Symbol.asyncDispose]: async () => {
        signal.removeEventListener('abort', end)
        end()
      },
    }
  } catch (error) {
    signal.removeEventListener('abort', end)
    end()
    throw error instanceof NotDelivered ? error : failed(error)
  }
}

const secured = async (socket: Socket, host: string, tls: ConnectionOptions['tls'] = {}): Promise<Socket> => {
  const secure = connectTls({ socket, servername: host, ...tlsSettings(tls) })
  await once(secure, 'secureConnect')
  return secure
}

interface Conversation {
  readonly socket: Socket
  readonly lines: Lines
  readonly info: Info
  readonly isSecure: boolean
}

/** The server responds to a PING after it has processed everything sent before. */
const talk = async (
  { socket, lines, info, isSecure }: Conversation,
  subject: string,
  payload: string,
  credential: NatsCredential,
): Promise<void> => {
  const size = Buffer.byteLength(payload)
  if (info.max_payload !== undefined && size > info.max_payload)
    throw new Error(`the event has ${size} bytes, more than the NATS server's limit of ${info.max_payload}`)
  const client = {
    verbose: false,
    pedantic: false,
    tls_required: isSecure,
    lang: 'node',
    version: '1',
    name: 'keelson',
  }
  const hello = { ...client, ...credential(info.nonce ?? '') }
  socket.write(`CONNECT ${JSON.stringify(hello)}\r\nPUB ${subject} ${size}\r\n${payload}\r\nPING\r\n`)
  let refusal = ''
  for (;;) {
    const line = await lines.next().catch(error => {
      throw refusal ? new NotDelivered(refusal) : error
    })
    if (line.startsWith('-ERR')) refusal = `error publishing message to server: ${serverMessage(line.slice(4))}`
    else if (line === 'PING') socket.write('PONG\r\n')
    else if (line === 'PONG') break
  }
  if (refusal) throw new NotDelivered(refusal)
}

const infoIn = (line: string): Info => {
  const [, json] = /^INFO (\{.*\})\s*$/.exec(line) ?? []
  try {
    return JSON.parse(json!)
  } catch (cause) {
    throw new NotDelivered('error connecting to server: it is not a NATS server', { cause })
  }
}

interface Lines {
  /** Fails with NotDelivered if the connection ends. */
  next(): Promise<string>
  /** Detaches from the socket, for another reader. */
  stop(): void
}

const linesOf = (socket: Socket): Lines => {
  let text = ''
  let problem: string | undefined
  let wake = () => {}
  const listen = (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (text.length > maxLineBytes) problem = 'a line from the server is too long'
    wake()
  }
  const end = (error?: Error) => {
    problem ??= error instanceof Error ? error.message : 'the server closed the connection'
    wake()
  }
  socket
    .on('data', listen)
    .on('error', end)
    .on('close', () => end())
  return {
    next: async () => {
      for (;;) {
        const [line, ...rest] = text.split('\r\n')
        if (rest.length > 0) {
          text = rest.join('\r\n')
          return Buffer.from(line!, 'latin1').toString()
        }
        if (problem !== undefined) throw new NotDelivered(problem)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
    stop: () => void socket.off('data', listen).pause(),
  }
}
