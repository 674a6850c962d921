import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { serverMessage } from '../../../foundations/rules/server-message.ts'
import type { ConnectionOptions, Connections } from '../../../platform/http/connections.ts'
import { tlsSettings } from '../../../platform/http/guarded-agent.ts'
import { NotDelivered } from '../http.ts'

/** Says who publishes, given what the server wants signed. */
export type NatsCredential = (nonce: string) => Readonly<Record<string, string>>

/** A connection to a NATS server that has greeted us. */
export interface NatsConnection extends AsyncDisposable {
  /** Says who we are, publishes, and waits until the server has seen it. Fails with NotDelivered. */
  publish(subject: string, payload: string, proof: NatsCredential): Promise<void>
}

/** What a server says of itself when one connects. */
interface Info {
  readonly nonce?: string
  readonly max_payload?: number
  readonly tls_required?: boolean
  readonly auth_required?: boolean
}

const defaultPort = 4222
const maxLineBytes = 64 * 1024

/** Connects, with TLS where the address, the server or the Provider's certificates want it. Fails with NotDelivered. */
export const openNats = async (
  url: URL,
  connections: Pick<Connections, 'socket'>,
  { tls, proxy }: ConnectionOptions,
  signal: AbortSignal,
): Promise<NatsConnection> => {
  if (proxy && proxy.protocol !== 'socks5:')
    throw new Error('a provider of type nats needs a socks5 proxy: NATS is no HTTP')
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
      publish: (subject, payload, proof) => talk({ socket, lines, info, isSecure }, subject, payload, proof),
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

/** The answer to a PING comes after the server has dealt with all that was sent before it. */
const talk = async (
  { socket, lines, info, isSecure }: Conversation,
  subject: string,
  payload: string,
  proof: NatsCredential,
): Promise<void> => {
  const size = Buffer.byteLength(payload)
  if (info.max_payload !== undefined && size > info.max_payload)
    throw new Error(`the event has ${size} bytes, and the NATS server takes ${info.max_payload}`)
  const client = {
    verbose: false,
    pedantic: false,
    tls_required: isSecure,
    lang: 'node',
    version: '1',
    name: 'keelson',
  }
  const hello = { ...client, ...proof(info.nonce ?? '') }
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
    throw new NotDelivered('error connecting to server: it does not speak NATS', { cause })
  }
}

interface Lines {
  /** Fails with NotDelivered when the connection ends. */
  next(): Promise<string>
  /** Leaves the socket to somebody else. */
  stop(): void
}

const linesOf = (socket: Socket): Lines => {
  let text = ''
  let problem: string | undefined
  let wake = () => {}
  const listen = (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (text.length > maxLineBytes) problem = 'the server says too much'
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
