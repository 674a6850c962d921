import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inflateSync } from 'node:zlib'
import { applyDelta } from './delta.ts'
import { corrupt, tooLarge } from './git-error.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface GitObject {
  readonly type: ObjectType
  readonly content: Uint8Array
}

/** The objects of a pack by their id (40 hexadecimal digits). */
export type GitObjects = ReadonlyMap<string, GitObject>

export interface PackLimits {
  readonly maxObjects: number
  /** Bytes of one object, unpacked. */
  readonly maxObjectBytes: number
  /** Bytes of all objects, unpacked. */
  readonly maxTotalBytes: number
}

/** Unpacking stops the process for no longer than this many bytes take. */
const BYTES_PER_TURN = 4 << 20
/** An object takes this many bytes at least: its header and an empty zlib stream. */
const MIN_ENTRY_BYTES = 9

/**
 * Reads a whole pack (gitformat-pack, version 2 and 3) into memory and checks its checksum. Deltas may come before their
 * base, but the base must be in the pack: thin packs are never asked for. Fails with GitError `corrupt` or `tooLarge`.
 */
export const readPack = async (pack: Buffer, limits: PackLimits, signal?: AbortSignal): Promise<GitObjects> => {
  const count = readHeader(pack, limits)
  const body = pack.subarray(0, -20)
  const objects = new Map<string, GitObject>()
  const byOffset = new Map<number, GitObject>()
  const waiting = new Map<string | number, Delta[]>()
  let total = 0
  let turn = 0

  const admit = (bytes: number): void => {
    total += bytes
    turn += bytes
    if (total > limits.maxTotalBytes) throw tooLarge(`the objects take more than ${limits.maxTotalBytes} bytes`)
  }

  /** Keeps an object, and then all that were only waiting for it as their base. */
  const keep = (offset: number, object: GitObject): void => {
    const ready = [{ offset, object }]
    for (let found = ready.pop(); found; found = ready.pop()) {
      const { type, content } = found.object
      const id = objectId(type, content)
      objects.set(id, found.object)
      byOffset.set(found.offset, found.object)
      for (const base of [found.offset, id]) {
        for (const { offset, delta } of waiting.get(base) ?? []) {
          ready.push({ offset, object: { type, content: undelta(content, delta) } })
        }
        waiting.delete(base)
      }
    }
  }
  const waitFor = (base: string | number, delta: Delta): void => {
    const others = waiting.get(base)
    if (others) others.push(delta)
    else waiting.set(base, [delta])
  }
  const undelta = (base: Uint8Array, delta: Uint8Array): Buffer => {
    const content = applyDelta(base, delta, limits.maxObjectBytes)
    admit(content.length)
    return content
  }

  let position = 12
  for (let index = 0; index < count; index++) {
    const entry = readEntry(body, position, limits)
    admit(entry.content.length)
    if (entry.base === undefined) {
      keep(position, { type: entry.type, content: entry.content })
    } else {
      const base = typeof entry.base === 'number' ? byOffset.get(entry.base) : objects.get(entry.base)
      if (base) keep(position, { type: base.type, content: undelta(base.content, entry.content) })
      else waitFor(entry.base, { offset: position, delta: entry.content })
    }
    position = entry.end
    if (turn > BYTES_PER_TURN || index % 1024 === 1023) {
      turn = 0
      await nextTurn()
      signal?.throwIfAborted()
    }
  }
  if (position !== body.length) throw corrupt('the pack goes on after its last object')
  if (waiting.size > 0) throw corrupt('the pack lacks the base of a delta')
  return objects
}

interface Delta {
  readonly offset: number
  readonly delta: Uint8Array
}

const readHeader = (pack: Buffer, limits: PackLimits): number => {
  if (pack.length < 32 || pack.toString('latin1', 0, 4) !== 'PACK') throw corrupt('the answer holds no pack')
  const version = pack.readUInt32BE(4)
  if (version !== 2 && version !== 3) throw corrupt(`packs of version ${version} are not known`)
  const checksum = createHash('sha1').update(pack.subarray(0, -20)).digest()
  if (!checksum.equals(pack.subarray(-20))) throw corrupt('the checksum of the pack is wrong')
  const count = pack.readUInt32BE(8)
  if (count > limits.maxObjects) throw tooLarge(`${count} objects are more than the limit of ${limits.maxObjects}`)
  if (count * MIN_ENTRY_BYTES > pack.length) throw corrupt('the pack is too short for its objects')
  return count
}

type Entry = { readonly content: Buffer; readonly end: number } & (
  | { readonly type: ObjectType; readonly base?: undefined }
  /** A delta; the base is the position of another entry in the pack, or an object's id. */
  | { readonly base: number | string }
)

const types: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag']
const OFFSET_DELTA = 6
const REFERENCE_DELTA = 7

const readEntry = (body: Buffer, start: number, limits: PackLimits): Entry => {
  let at = start
  const next = (): number => {
    const byte = body[at++]
    if (byte === undefined) throw corrupt('the pack ends too early')
    return byte
  }

  let byte = next()
  const code = (byte >> 4) & 7
  let size = byte & 15
  for (let scale = 16; byte & 0x80; scale *= 128) {
    byte = next()
    size += (byte & 0x7f) * scale
    if (size > limits.maxObjectBytes)
      throw tooLarge(`an object is larger than the limit of ${limits.maxObjectBytes} bytes`)
  }

  const type = types[code]
  if (type) return { type, ...inflate(body, at, size) }
  if (code === OFFSET_DELTA) {
    byte = next()
    let distance = byte & 0x7f
    while (byte & 0x80) {
      byte = next()
      distance = (distance + 1) * 128 + (byte & 0x7f)
      if (distance > start) break
    }
    if (distance === 0 || distance > start) throw corrupt('the base of a delta lies outside of the pack')
    return { base: start - distance, ...inflate(body, at, size) }
  }
  if (code === REFERENCE_DELTA) {
    const base = body.toString('hex', at, at + 20)
    return { base, ...inflate(body, at + 20, size) }
  }
  throw corrupt(`objects of type ${code} are not known`)
}

/** Inflates the stream at a position; its compressed length is only known afterwards. */
const inflate = (body: Buffer, start: number, size: number): { content: Buffer; end: number } => {
  const options = {
    info: true,
    maxOutputLength: Math.max(size, 1),
    chunkSize: Math.max(64, Math.min(size + 1, 1 << 20)),
  }
  try {
    // The types of Node do not know what `info` gives back.
    const { buffer, engine } = inflateSync(body.subarray(start), options) as unknown as Inflated
    if (buffer.length !== size) throw corrupt('an object has another size than it says')
    return { content: buffer, end: start + engine.bytesWritten }
  } catch (cause) {
    throw corrupt('an object does not unpack', cause)
  }
}

interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

/** Git's name of an object: SHA-1 over its type, length and content. */
export const objectId = (type: ObjectType, content: Uint8Array): string =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
