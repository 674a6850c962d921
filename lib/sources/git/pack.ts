import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Spool } from '../spool.ts'
import { applyDelta } from './delta.ts'
import { corrupt, tooLarge } from './git-error.ts'
import { type GitObject, type GitObjects, type ObjectFormat, objectId, objectIdBytes } from './git-object.ts'
import { readEntry } from './pack-entry.ts'

export interface PackLimits {
  readonly maxObjects: number
  /** Bytes of one object, unpacked. */
  readonly maxObjectBytes: number
  /** Bytes of all objects, unpacked. */
  readonly maxTotalBytes: number
}

/** Bytes to unpack before yielding to the event loop. */
const YIELD_AFTER_BYTES = 4 << 20
/** The smallest entry: a header and an empty zlib stream. */
const MIN_ENTRY_BYTES = 9
const HEADER_BYTES = 12

/**
 * Limit for objects that stay in memory while the pack is on disk; larger and later objects are read from the pack each
 * time.
 */
const MAX_KEPT_BYTES = 128 << 20
const MAX_KEPT_ENTRY_BYTES = 256 << 10
/** Longest chain of deltas to read each time; the next object is kept in memory. */
const MAX_READ_AGAIN = 20

/**
 * Reads a whole pack (gitformat-pack, versions 2 and 3) and checks its checksum. A delta may precede its base, but the
 * base must be in the pack, as thin packs are never requested. The objects are readable until the pack is disposed.
 * Fails with GitError `corrupt` or `tooLarge`.
 */
export const readPack = async (
  pack: Spool,
  limits: PackLimits,
  signal?: AbortSignal,
  format: ObjectFormat = 'sha1',
): Promise<GitObjects> => {
  const count = readHeader(pack, limits, format)
  const end = pack.length - objectIdBytes[format]
  const body = { read: (start: number, length: number) => pack.read(start, Math.min(length, end - start)) }
  const objects = new Map<string, GitObject>()
  const byOffset = new Map<number, GitObject>()
  const depths = new Map<GitObject, number>()
  const waiting = new Map<string | number, Delta[]>()
  let total = 0
  let turn = 0
  let kept = 0

  const admit = (bytes: number): void => {
    total += bytes
    turn += bytes
    if (total > limits.maxTotalBytes) throw tooLarge(`the objects are larger than ${limits.maxTotalBytes} bytes`)
  }

  /** Keeps an object, and then all deltas that were waiting for it as their base. */
  const keep = (offset: number, object: GitObject, base?: GitObject): void => {
    const ready = [{ offset, object, base }]
    for (let found = ready.pop(); found; found = ready.pop()) {
      const { type, content } = found.object
      const id = objectId(found.object, format)
      const kept = fromPack(found.object, found.offset, found.base) ?? found.object
      objects.set(id, kept)
      byOffset.set(found.offset, kept)
      for (const name of [found.offset, id]) {
        for (const { offset, delta } of waiting.get(name) ?? []) {
          ready.push({ offset, object: { type, content: undelta(content, delta) }, base: kept })
        }
        waiting.delete(name)
      }
    }
  }

  /** The object with its content read from the pack on each access; undefined if it may stay in memory. */
  const fromPack = (
    { type, content }: GitObject,
    offset: number,
    base: GitObject | undefined,
  ): GitObject | undefined => {
    const depth = base ? (depths.get(base) ?? 0) + 1 : 1
    const mayStay = content.length <= MAX_KEPT_ENTRY_BYTES && kept + content.length <= MAX_KEPT_BYTES
    if (!pack.isOnDisk || type !== 'blob' || mayStay || depth > MAX_READ_AGAIN) {
      kept += content.length
      return undefined
    }
    const again = (): Uint8Array => readEntry(body, offset, limits.maxObjectBytes, objectIdBytes[format]).content
    const object: GitObject = {
      type,
      size: content.length,
      get content() {
        return base ? applyDelta(base.content, again(), limits.maxObjectBytes) : again()
      },
    }
    depths.set(object, depth)
    return object
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

  let position = HEADER_BYTES
  for (let index = 0; index < count; index++) {
    const entry = readEntry(body, position, limits.maxObjectBytes, objectIdBytes[format])
    admit(entry.content.length)
    if (entry.base === undefined) {
      keep(position, { type: entry.type, content: entry.content })
    } else {
      const base = typeof entry.base === 'number' ? byOffset.get(entry.base) : objects.get(entry.base)
      if (base) keep(position, { type: base.type, content: undelta(base.content, entry.content) }, base)
      else waitFor(entry.base, { offset: position, delta: entry.content })
    }
    position = entry.end
    if (turn > YIELD_AFTER_BYTES || index % 1024 === 1023) {
      turn = 0
      await nextTurn()
      signal?.throwIfAborted()
    }
  }
  if (position !== end) throw corrupt('the pack has data after its last object')
  if (waiting.size > 0) throw corrupt('the base of a delta is missing from the pack')
  return objects
}

interface Delta {
  readonly offset: number
  readonly delta: Uint8Array
}

const readHeader = (pack: Spool, limits: PackLimits, format: ObjectFormat): number => {
  const trailer = objectIdBytes[format]
  const header = pack.read(0, HEADER_BYTES)
  if (pack.length < HEADER_BYTES + trailer || header.toString('latin1', 0, 4) !== 'PACK')
    throw corrupt('the response does not contain a pack')
  const version = header.readUInt32BE(4)
  if (version !== 2 && version !== 3) throw corrupt(`pack version ${version} is not supported`)
  const end = pack.length - trailer
  const checksum = createHash(format)
  let at = 0
  for (const piece of pack.pieces()) {
    checksum.update(piece.subarray(0, Math.max(end - at, 0)))
    at += piece.length
  }
  if (!checksum.digest().equals(pack.read(end, trailer))) throw corrupt('the checksum of the pack is wrong')
  const count = header.readUInt32BE(8)
  if (count > limits.maxObjects) throw tooLarge(`${count} objects are more than the limit of ${limits.maxObjects}`)
  if (count * MIN_ENTRY_BYTES > pack.length) throw corrupt('the pack is too short for its objects')
  return count
}
