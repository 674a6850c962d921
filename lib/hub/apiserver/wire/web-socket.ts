/** Watches over WebSocket (RFC 6455), as used by browsers and Headlamp: each event is a text message. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ApiHandler } from '../api-server.ts'
import { peerOf } from '../authentication/peer.ts'
import { resourceRequestOf } from '../request-info.ts'
import { waitForDrain } from './wait-for-drain.ts'

/** Whether an upgrade request is for a watch; others are handled as if they had not requested an upgrade. */
export const isWebSocketWatch = ({ method = 'GET', url = '/', headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['sec-websocket-version'] === '13' &&
  headers['sec-websocket-key'] !== undefined &&
  resourceRequestOf(method, new URL(url, 'https://hub'))?.verb === 'watch'

/** Responds to such a request; errors are plain HTTP. */
export const serveWebSocket =
  (handle: ApiHandler, stalledMs: number) =>
  async (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const leaving = new AbortController()
    socket.on('close', () => leaving.abort()).on('error', () => socket.destroy())
    const sent = new Promise(resolve => socket.once('close', resolve))
    const { remoteAddress } = incoming.socket
    const response = await handle(requestOf(incoming, leaving.signal), peerOf(incoming.socket), sent, remoteAddress)
    if (response.status !== 200 || !response.body) {
      socket.end(await refusal(response))
      return
    }
    const client = await upgraded(incoming, socket, head)
    if (!client) return void response.body.cancel().catch(() => {})
    client.on('error', () => client.terminate()) // the client sent data that a watch does not use, or an invalid frame
    await sendEvents(response.body, client, socket, stalledMs)
    client.close(closedNormally)
  }

/** RFC 6455, section 7.4.1. */
const closedNormally = 1000

const requestOf = (incoming: IncomingMessage, signal: AbortSignal): Request => {
  const headers = new Headers({ accept: 'application/json' })
  for (const [name, value] of Object.entries(incoming.headers))
    if (typeof value === 'string' && !name.startsWith('sec-websocket') && !hopByHop.has(name)) headers.set(name, value)
  return new Request(new URL(incoming.url ?? '/', `https://${incoming.headers.host ?? 'hub'}`), { headers, signal })
}

const hopByHop: ReadonlySet<string> = new Set(['connection', 'upgrade', 'host', 'accept-encoding'])

const refusal = async (response: Response): Promise<string> => {
  const body = await response.text()
  const type = response.headers.get('content-type') ?? 'text/plain'
  const head = [`HTTP/1.1 ${response.status} Refused`, `Content-Type: ${type}`, 'Connection: close']
  return [...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n')
}

const upgrades = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false, // it would need a window of memory per watch
  maxPayload: 125, // the client of a watch only sends pings, pongs and close
  // Accepts the only protocol that a client offers: the content is the same in each.
  handleProtocols: protocols => (protocols.size === 1 ? [...protocols][0]! : false),
})

/** undefined: the handshake was invalid and was refused, or the client has disconnected. */
const upgraded = (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket | undefined> =>
  new Promise(resolve => {
    socket.once('close', () => resolve(undefined))
    upgrades.handleUpgrade(incoming, socket, head, resolve)
  })

/** A part of the body may contain several events, or end within one, which becomes a message of several frames: no event is buffered whole. */
const sendEvents = async (
  body: ReadableStream<Uint8Array>,
  client: WebSocket,
  socket: Duplex,
  stalledMs: number,
): Promise<void> => {
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => {})
  socket.once('close', leave)
  // The body may fail while the client receives nothing and nothing is read.
  reader.closed.catch(() => socket.destroy())
  for (let next = await reader.read(); !next.done && !socket.destroyed; next = await reader.read()) {
    let rest = next.value
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      client.send(rest.subarray(0, end + 1), { binary: false })
      rest = rest.subarray(end + 1)
    }
    if (rest.length > 0) client.send(rest, { binary: false, fin: false })
    if (socket.writableNeedDrain && !(await waitForDrain(socket, stalledMs))) socket.destroy()
  }
}
