import { corrupt, tooLarge } from './git-error.ts'

/** Applies a delta (gitformat-pack, "Deltified representation"). Fails with GitError `corrupt`, or `tooLarge` before it allocates. */
export const applyDelta = (base: Uint8Array, delta: Uint8Array, maxBytes: number): Buffer => {
  let at = 0
  const next = (): number => {
    const byte = delta[at++]
    if (byte === undefined) throw corrupt('a delta is truncated')
    return byte
  }
  const readSize = (): number => {
    let size = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = next()
      size += (byte & 0x7f) * scale
      if (size > Number.MAX_SAFE_INTEGER) throw corrupt('a delta has an invalid size')
      if (byte < 0x80) return size
    }
  }
  /** Reads a little-endian number; bits of `present` mark the bytes that are stored, the others are zero. */
  const readSparse = (present: number, count: number): number => {
    let value = 0
    for (let index = 0; index < count; index++) if (present & (1 << index)) value += next() * 256 ** index
    return value
  }

  if (readSize() !== base.length) throw corrupt('a delta does not match its base')
  const size = readSize()
  if (size > maxBytes) throw tooLarge(`an object of ${size} bytes is larger than the limit of ${maxBytes} bytes`)
  const result = Buffer.allocUnsafe(size)
  let filled = 0
  const append = (source: Uint8Array, start: number, length: number): void => {
    if (start + length > source.length || filled + length > size)
      throw corrupt('a delta refers to bytes beyond its base')
    result.set(source.subarray(start, start + length), filled)
    filled += length
  }

  while (at < delta.length) {
    const instruction = next()
    if (instruction & 0x80) {
      const start = readSparse(instruction, 4)
      append(base, start, readSparse(instruction >> 4, 3) || 0x10000)
    } else if (instruction > 0) {
      append(delta, at, instruction)
      at += instruction
    } else {
      throw corrupt('a delta contains an unknown instruction')
    }
  }
  if (filled !== size) throw corrupt('a delta yields fewer bytes than it declares')
  return result
}

/** A copy instruction has two bytes for its length, as git itself writes it. */
const maxCopy = 0xffff
const maxInsert = 127

/**
 * The delta that makes `target` of `base`, for contents that differ in one place: what both begin and end with is copied, and the rest between
 * inserted.
 */
export const makeDelta = (base: Uint8Array, target: Uint8Array): Buffer => {
  const shorter = Math.min(base.length, target.length)
  let start = 0
  while (start < shorter && base[start] === target[start]) start++
  let end = 0
  while (end < shorter - start && base[base.length - 1 - end] === target[target.length - 1 - end]) end++
  const bytes = [...sizeBytes(base.length), ...sizeBytes(target.length)]
  const copy = (from: number, to: number) => {
    for (let at = from; at < to; at += maxCopy) bytes.push(...copyBytes(at, Math.min(maxCopy, to - at)))
  }
  copy(0, start)
  for (let at = start; at < target.length - end; at += maxInsert) {
    const part = target.subarray(at, Math.min(at + maxInsert, target.length - end))
    bytes.push(part.length, ...part)
  }
  copy(base.length - end, base.length)
  return Buffer.from(bytes)
}

const sizeBytes = (size: number): number[] => {
  const bytes: number[] = []
  let rest = size
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128)
  return [...bytes, rest]
}

/** All bytes of the offset and two of the length are there, also those that are zero. */
const copyBytes = (offset: number, length: number): number[] => [
  ...[0b1011_1111, offset & 255, (offset >> 8) & 255, (offset >> 16) & 255, offset >>> 24],
  ...[length & 255, length >> 8],
]
