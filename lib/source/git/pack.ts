import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { applyDelta } from './delta.ts'
import { corrupt, tooLarge } from './git-error.ts'
import { bytesOfId, type GitObject, type GitObjects, idOf, type ObjectFormat } from './git-object.ts'
import { readEntry } from './pack-entry.ts'

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
const HEADER_BYTES = 12

/**
 * Reads a whole pack (gitformat-pack, version 2 and 3) into memory and checks its checksum. Deltas may come before their
 * base, but the base must be in the pack: thin packs are never asked for. Fails with GitError `corrupt` or `tooLarge`.
 */
export const readPack = async (
  pack: Buffer,
  limits: PackLimits,
  signal?: AbortSignal,
  format: ObjectFormat = 'sha1',
): Promise<GitObjects> => {
  const count = readHeader(pack, limits, format)
  const body = pack.subarray(0, -bytesOfId[format])
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
      const id = idOf(found.object, format)
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

  let position = HEADER_BYTES
  for (let index = 0; index < count; index++) {
    const entry = readEntry(body, position, limits.maxObjectBytes, bytesOfId[format])
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

const readHeader = (pack: Buffer, limits: PackLimits, format: ObjectFormat): number => {
  const trailer = bytesOfId[format]
  if (pack.length < HEADER_BYTES + trailer || pack.toString('latin1', 0, 4) !== 'PACK')
    throw corrupt('the answer holds no pack')
  const version = pack.readUInt32BE(4)
  if (version !== 2 && version !== 3) throw corrupt(`packs of version ${version} are not known`)
  const checksum = createHash(format).update(pack.subarray(0, -trailer)).digest()
  if (!checksum.equals(pack.subarray(-trailer))) throw corrupt('the checksum of the pack is wrong')
  const count = pack.readUInt32BE(8)
  if (count > limits.maxObjects) throw tooLarge(`${count} objects are more than the limit of ${limits.maxObjects}`)
  if (count * MIN_ENTRY_BYTES > pack.length) throw corrupt('the pack is too short for its objects')
  return count
}
