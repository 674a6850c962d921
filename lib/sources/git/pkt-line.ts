import { serverMessage } from '../../foundations/rules/server-message.ts'
import { GitError } from './git-error.ts'

/** Git's packet lines: lines prefixed with their length (gitprotocol-common). */
type Packet = Uint8Array | 'flush' | 'delimiter' | 'end'

const markers = { flush: '0000', delimiter: '0001', end: '0002' } as const
const MAX_LENGTH = 65_520

/** Encodes a request: lines, which get a newline, and the markers `flush` and `delimiter`. */
export const encodePackets = (packets: readonly string[]): Buffer =>
  Buffer.concat(packets.map(packet => (isMarker(packet) ? Buffer.from(markers[packet]) : encodeLine(`${packet}\n`))))

const isMarker = (packet: string): packet is keyof typeof markers => Object.hasOwn(markers, packet)

/** Encodes one line as it is. */
export const encodeLine = (text: string): Buffer => {
  const length = Buffer.byteLength(text) + 4
  if (length > MAX_LENGTH) throw new GitError('protocol', 'a line of the request is too long')
  return Buffer.from(`${length.toString(16).padStart(4, '0')}${text}`)
}

/** Reads packets from a stream in order. Fails with GitError `protocol`, also at the end of the stream. */
export interface PacketReader {
  read(): Promise<Packet>
  /** The next packet as text, without its newline; undefined for a flush or delimiter. */
  readLine(): Promise<string | undefined>
  /** Releases the connection for reuse if the response was read to its end; destroys it otherwise. */
  close(): Promise<void>
}

/** A reader of a response, whose chunks may begin and end anywhere in a packet. */
export const readPackets = (stream: AsyncIterable<Uint8Array>): PacketReader => {
  const chunks = stream[Symbol.asyncIterator]()
  let buffered: Buffer = Buffer.alloc(0)
  let atFlush = false

  const fill = async (length: number): Promise<void> => {
    const parts = [buffered]
    let available = buffered.length
    while (available < length) {
      const next = await chunks.next()
      if (next.done) throw new GitError('protocol', 'the response is truncated')
      parts.push(Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength))
      available += next.value.byteLength
    }
    if (parts.length > 1) buffered = Buffer.concat(parts)
  }

  const read = async (): Promise<Packet> => {
    await fill(4)
    const header = buffered.toString('latin1', 0, 4)
    const length = /^[0-9a-fA-F]{4}$/.test(header) ? Number.parseInt(header, 16) : -1
    if (length < 0 || length === 3) throw new GitError('protocol', 'the response is not in the format of git packets')
    const size = Math.max(length, 4)
    await fill(size)
    const payload = buffered.subarray(4, size)
    buffered = buffered.subarray(size)
    atFlush = length === 0
    return length === 0 ? 'flush' : length === 1 ? 'delimiter' : length === 2 ? 'end' : payload
  }

  const readLine = async (): Promise<string | undefined> => {
    const packet = await read()
    return typeof packet === 'string' ? undefined : textOf(packet)
  }

  const close = async (): Promise<void> => {
    const over = atFlush && buffered.length === 0 && (await chunks.next()).done
    if (!over) await chunks.return?.()
  }

  return { read, readLine, close }
}

/** The lines up to the next flush or delimiter. */
export const readLines = async (packets: PacketReader): Promise<string[]> => {
  const lines: string[] = []
  for (let line = await packets.readLine(); line !== undefined; line = await packets.readLine()) lines.push(line)
  return lines
}

/** The text of a line; an `ERR` line is the server's own error and is thrown. */
export const textOf = (packet: Uint8Array): string => {
  const text = Buffer.from(packet).toString('utf8').replace(/\n$/, '')
  if (text.startsWith('ERR ')) throw new GitError('refused', remoteMessage(text.slice(4)))
  return text
}

/** Formats a message that a server sent in git's protocol. */
export const remoteMessage = (text: string): string => `remote: ${serverMessage(text)}`
