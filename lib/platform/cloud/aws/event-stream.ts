import { crc32 } from 'node:zlib'

/** A message of a streamed response, in the framing of AWS (`application/vnd.amazon.eventstream`). */
export interface EventMessage {
  /** Headers of type string. */
  readonly headers: ReadonlyMap<string, string>
  readonly payload: Buffer
}

const preludeLength = 12
const checksumLength = 4
/** AWS' limit is 16 MB for a message. */
const maxMessageLength = 24 << 20
const textType = 7

/** The messages in a response's chunks. Fails with an Error if one is malformed or incomplete. */
export async function* eventMessages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventMessage, void> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    for (let length = lengthOf(rest); length !== undefined && rest.length >= length; length = lengthOf(rest)) {
      yield messageIn(rest.subarray(0, length))
      rest = rest.subarray(length)
    }
  }
  if (rest.length > 0) throw new Error('the event stream ended within a message')
}

/** The length of the message that begins here; undefined until its prelude is complete. */
const lengthOf = (bytes: Buffer): number | undefined => {
  if (bytes.length < preludeLength) return undefined
  const length = bytes.readUInt32BE(0)
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8) || length > maxMessageLength)
    throw new Error('the event stream is damaged')
  return length
}

const messageIn = (bytes: Buffer): EventMessage => {
  const end = bytes.length - checksumLength
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) throw new Error('the event stream is damaged')
  const headersEnd = preludeLength + bytes.readUInt32BE(4)
  return { headers: headersIn(bytes.subarray(preludeLength, headersEnd)), payload: bytes.subarray(headersEnd, end) }
}

const headersIn = (bytes: Buffer): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at)
    if (bytes.readUInt8(nameEnd) !== textType) throw new Error('a header of the event stream is not a string')
    const valueStart = nameEnd + 3
    const valueEnd = valueStart + bytes.readUInt16BE(nameEnd + 1)
    headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueStart, valueEnd))
    at = valueEnd
  }
  return headers
}
