/** Watches over WebSocket (RFC 6455), as browsers and Headlamp follow them: each event is a text message. */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiHandler } from '../api-server.ts'
import { peerOf } from '../authentication/peer.ts'
import { resourceRequestOf } from '../request-info.ts'
import { drained } from './drained.ts'

/** Whether a request to change the protocol is one for a watch; others are answered as if they had not asked. */
export const isWebSocketWatch = ({ method = 'GET', url = '/', headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['sec-websocket-version'] === '13' &&
  headers['sec-websocket-key'] !== undefined &&
  resourceRequestOf(method, new URL(url, 'https://hub'))?.verb === 'watch'

/** Answers such a request; refusals are plain HTTP. */
export const serveWebSocket =
  (handle: ApiHandler, stalledMs: number) =>
  async (incoming: IncomingMessage, socket: Duplex): Promise<void> => {
    const leaving = new AbortController()
    socket.on('close', () => leaving.abort()).on('error', () => socket.destroy())
    const sent = new Promise(resolve => socket.once('close', resolve))
    const response = await handle(requestOf(incoming, leaving.signal), peerOf(incoming.socket), sent)
    if (response.status !== 200 || !response.body) {
      socket.end(await refusal(response))
      return
    }
    socket.write(handshake(incoming))
    socket.on('data', clientFrames(socket))
    await sendEvents(response.body, socket, stalledMs)
    if (socket.writable) socket.end(frame(opcodes.close, closedNormally))
  }

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

/** RFC 6455, section 1.3. */
const accepted = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** An only protocol that the client names is agreed to: what is sent is the same in each. */
const handshake = ({ headers }: IncomingMessage): string => {
  const proof = createHash('sha1').update(`${headers['sec-websocket-key']}${accepted}`).digest('base64')
  const protocol = headers['sec-websocket-protocol']
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${proof}`,
    ...(protocol && /^[\w.+-]+$/.test(protocol) ? [`Sec-WebSocket-Protocol: ${protocol}`] : []),
    '\r\n',
  ].join('\r\n')
}

/** A part of the body may hold several events, or end within one, which is then a message of several frames: no event is held whole. */
const sendEvents = async (body: ReadableStream<Uint8Array>, socket: Duplex, stalledMs: number): Promise<void> => {
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => {})
  socket.once('close', leave)
  // The body may break off while the client takes nothing, and nothing is read.
  reader.closed.catch(() => socket.destroy())
  let opcode: number = opcodes.text
  for (let next = await reader.read(); !next.done && !socket.destroyed; next = await reader.read()) {
    let rest = next.value
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      socket.write(frame(opcode, rest.subarray(0, end + 1)))
      rest = rest.subarray(end + 1)
      opcode = opcodes.text
    }
    if (rest.length > 0) {
      socket.write(frame(opcode, rest, { isLast: false }))
      opcode = opcodes.continuation
    }
    if (socket.writableNeedDrain && !(await drained(socket, stalledMs))) socket.destroy()
  }
}

// ---- frames ----

const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const
const closedNormally = Buffer.from([0x03, 0xe8])

const frame = (opcode: number, payload: Uint8Array, { isLast = true } = {}): Buffer =>
  Buffer.concat([frameHead(isLast ? 0x80 | opcode : opcode, payload.length), payload])

const frameHead = (first: number, length: number): Buffer => {
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = first
  if (length < 126) head[1] = length
  else if (length < 65_536) {
    head[1] = 126
    head.writeUInt16BE(length, 2)
  } else {
    head[1] = 127
    head.writeBigUInt64BE(BigInt(length), 2)
  }
  return head
}

/** Who watches has nothing to say but that he is there, or goes: longer frames than those for that end the connection. */
const maxControlBytes = 125

const clientFrames = (socket: Duplex) => {
  let rest = Buffer.alloc(0)
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 6) {
      const [first, second] = [rest[0]!, rest[1]!]
      const length = second & 0x7f
      // A client must mask what it sends.
      if (length > maxControlBytes || (second & 0x80) === 0) return socket.destroy()
      if (rest.length < 6 + length) return
      const mask = rest.subarray(2, 6)
      const payload = rest.subarray(6, 6 + length).map((byte, index) => byte ^ mask[index % 4]!)
      rest = rest.subarray(6 + length)
      const opcode = first & 0x0f
      if (opcode === opcodes.ping) socket.write(frame(opcodes.pong, payload))
      if (opcode === opcodes.close) return socket.end(frame(opcodes.close, payload.subarray(0, 2)))
    }
  }
}
