import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes appended in pieces and then read at any position: in memory while they are few, otherwise on disk. */
export interface Spool extends Disposable {
  readonly length: number
  /** Whether there were too many bytes for memory. */
  readonly isOnDisk: boolean
  append(piece: Uint8Array): void
  /** Returns fewer bytes at the end. */
  read(start: number, length: number): Buffer
  pieces(): Generator<Uint8Array>
}

export interface SpoolOptions {
  readonly directory?: string
  readonly maxInMemory?: number
}

const PIECE_BYTES = 1 << 20

/** The file is unlinked at once, so that no other process finds it and nothing is left behind, even after a crash. */
export const spool = ({ directory = tmpdir(), maxInMemory = 32 << 20 }: SpoolOptions = {}): Spool => {
  let parts: Uint8Array[] = []
  let length = 0
  let file: number | undefined
  /** The last piece read from the file: most reads are sequential. */
  let window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) }

  const spill = (): number => {
    const opened = namelessFile(directory)
    for (const part of parts) writeAll(opened, part)
    parts = []
    return opened
  }

  const inMemory = (): Buffer => {
    const [first] = parts
    const whole =
      parts.length === 1 ? Buffer.from(first!.buffer, first!.byteOffset, first!.length) : Buffer.concat(parts)
    parts = [whole]
    return whole
  }

  const inFile = (from: number, start: number, wanted: number): Buffer => {
    const end = Math.min(start + wanted, length)
    const isInWindow = start >= window.start && end <= window.start + window.bytes.length
    if (!isInWindow)
      window = { start, bytes: readFully(from, start, Math.min(Math.max(wanted, PIECE_BYTES), length - start)) }
    return window.bytes.subarray(start - window.start, end - window.start)
  }

  const read = (start: number, wanted: number): Buffer =>
    file === undefined ? inMemory().subarray(start, start + wanted) : inFile(file, start, wanted)

  return {
    get length() {
      return length
    },
    get isOnDisk() {
      return file !== undefined
    },
    append: piece => {
      length += piece.length
      if (file === undefined && length > maxInMemory) file = spill()
      if (file === undefined) parts.push(piece)
      else writeAll(file, piece)
    },
    read,
    *pieces() {
      for (let at = 0; at < length; at += PIECE_BYTES) yield read(at, PIECE_BYTES)
    },
    [Symbol.dispose]: () => {
      if (file !== undefined) closeSync(file)
      file = undefined
      parts = []
      length = 0
    },
  }
}

const namelessFile = (directory: string): number => {
  const path = join(directory, `keelson-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}

const writeAll = (file: number, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

const readFully = (file: number, start: number, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(Math.max(length, 0))
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(file, bytes, at, bytes.length - at, start + at)
    if (read === 0) throw new Error('a spooled file is truncated')
    at += read
  }
  return bytes
}
