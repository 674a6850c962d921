import { inflateSync } from 'node:zlib'
import type { Spool } from '../spool.ts'
import { corrupt, tooLarge } from './git-error.ts'
import type { ObjectType } from './git-object.ts'

/** An entry of a pack: a whole object, or a delta. */
export type PackEntry = { readonly content: Buffer; readonly end: number } & (
  | { readonly type: ObjectType; readonly base?: undefined }
  /** The base is the position of another entry in the pack, or an object id. */
  | { readonly base: number | string }
)

/** A pack, or the readable part of it. */
export type PackBytes = Pick<Spool, 'read'>

/** More than a size and a base's distance or id need. */
const MAX_HEAD_BYTES = 64

/** zlib's output is at most 1.1 times its input; the margin allows for other encoders. */
const maxDeflated = (size: number): number => size + (size >> 2) + (64 << 10)

const types: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag']
const OFFSET_DELTA = 6
const REFERENCE_DELTA = 7

/** Reads the entry at a position. Fails with GitError `corrupt`, or with `tooLarge` before it allocates. */
export const readEntry = (pack: PackBytes, start: number, maxObjectBytes: number, bytesOfId: number): PackEntry => {
  const head = pack.read(start, MAX_HEAD_BYTES)
  let at = 0
  const next = (): number => {
    const byte = head[at++]
    if (byte === undefined) throw corrupt('the pack is truncated')
    return byte
  }

  let byte = next()
  const code = (byte >> 4) & 7
  let size = byte & 15
  for (let scale = 16; byte & 0x80; scale *= 128) {
    byte = next()
    size += (byte & 0x7f) * scale
    if (size > maxObjectBytes) throw tooLarge(`an object is larger than the limit of ${maxObjectBytes} bytes`)
  }

  const type = types[code]
  if (type) return { type, ...inflate(pack, start + at, size) }
  if (code === OFFSET_DELTA) {
    byte = next()
    let distance = byte & 0x7f
    while (byte & 0x80) {
      byte = next()
      distance = (distance + 1) * 128 + (byte & 0x7f)
      if (distance > start) break
    }
    if (distance === 0 || distance > start) throw corrupt('the base of a delta is outside the pack')
    return { base: start - distance, ...inflate(pack, start + at, size) }
  }
  if (code === REFERENCE_DELTA) {
    const base = head.toString('hex', at, at + bytesOfId)
    return { base, ...inflate(pack, start + at + bytesOfId, size) }
  }
  throw corrupt(`unknown object type ${code}`)
}

/** Inflates the stream at a position; its compressed length is known only afterwards. */
const inflate = (pack: PackBytes, start: number, size: number): { content: Buffer; end: number } => {
  const options = {
    info: true,
    maxOutputLength: Math.max(size, 1),
    chunkSize: Math.max(64, Math.min(size + 1, 1 << 20)),
  }
  try {
    // Node's types lack the result of `info`.
    const { buffer, engine } = inflateSync(pack.read(start, maxDeflated(size)), options) as unknown as Inflated
    if (buffer.length !== size) throw corrupt('the size of an object does not match its header')
    return { content: buffer, end: start + engine.bytesWritten }
  } catch (cause) {
    throw corrupt('an object is not valid zlib data', cause)
  }
}

interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}
