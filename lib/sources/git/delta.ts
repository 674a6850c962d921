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
