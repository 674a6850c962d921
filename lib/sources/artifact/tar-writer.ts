/**
 * Writes tar files whose bytes depend only on the given names, modes and contents: no owner, times at the epoch. ustar
 * headers, preceded by a pax header if a name does not fit (too long, or not ASCII), like Go's archive/tar.
 */
export interface TarEntry {
  readonly name: string
  readonly mode: number
  /** Absent for a folder. */
  readonly content?: Uint8Array
}

const BLOCK = 512
const MAX_SIZE = 0o77777777777
const BATCH_BYTES = 256 << 10
/** Larger contents are passed on without copying. */
const MAX_COPIED = BATCH_BYTES - BLOCK

/**
 * Yields the file in pieces of up to 256 KiB, except large contents: compressors run on other threads, so small pieces
 * would cost more than they save. Recycled pieces take little memory; each is valid until the one after the next is
 * requested.
 */
export function* writeTar(entries: Iterable<TarEntry>, pieces: 'fresh' | 'recycled' = 'fresh'): Generator<Uint8Array> {
  const nextBatch = pieces === 'fresh' ? newBatch : alternateBuffers()
  let batch = nextBatch()
  let used = 0
  for (const { type, place, mode, content = nothing } of membersOf(entries)) {
    const isCopied = content.length <= MAX_COPIED
    const padding = -content.length & (BLOCK - 1)
    if (used + BLOCK + (isCopied ? content.length + padding : 0) > BATCH_BYTES) {
      yield batch.subarray(0, used)
      batch = nextBatch()
      used = 0
    }
    writeHeader(batch, used, type, place, mode, content.length)
    used += BLOCK
    if (isCopied) {
      batch.set(content, used)
      used += content.length
    } else {
      yield batch.subarray(0, used)
      yield content
      batch = nextBatch()
      used = 0
    }
    batch.fill(0, used, used + padding)
    used += padding
  }
  yield batch.subarray(0, used)
  yield Buffer.alloc(2 * BLOCK)
}

const newBatch = (): Buffer => Buffer.allocUnsafeSlow(BATCH_BYTES)

const alternateBuffers = (): (() => Buffer) => {
  const batches = [newBatch(), newBatch()] as const
  let turn = 0
  return () => batches[turn++ % 2]!
}

const nothing = new Uint8Array()

interface Member {
  readonly type: '0' | '5' | 'x'
  readonly place: Place
  readonly mode: number
  readonly content?: Uint8Array | undefined
}

function* membersOf(entries: Iterable<TarEntry>): Generator<Member> {
  for (const { name, mode, content } of entries) {
    if (content && content.length > MAX_SIZE) throw new RangeError(`${name} is too large for a tar file`)
    const place = placeInHeader(name)
    const type = content ? '0' : '5'
    if (place) {
      yield { type, place, mode, content }
      continue
    }
    const record = Buffer.from(paxRecord('path', name))
    yield { type: 'x', place: { name: 'PaxHeaders.0', prefix: '' }, mode: 0o644, content: record }
    const shortened = { name: Buffer.from(name).subarray(0, 100).toString('latin1'), prefix: '' }
    yield { type, place: shortened, mode, content }
  }
}

interface Place {
  readonly name: string
  readonly prefix: string
}

/** A name of up to 100 bytes, or one that a slash splits into up to 155 and 100 bytes. */
const placeInHeader = (name: string): Place | undefined => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ustar names are ASCII, and NUL ends them.
  if (!/^[\x01-\x7f]*$/.test(name)) return undefined
  if (name.length <= 100) return { name, prefix: '' }
  const slash = name.lastIndexOf('/', 155)
  const rest = name.slice(slash + 1)
  return slash > 0 && rest.length > 0 && rest.length <= 100 ? { name: rest, prefix: name.slice(0, slash) } : undefined
}

/** `<length> <key>=<value>\n`; the length includes its own digits. */
const paxRecord = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`
  const size = Buffer.byteLength(rest)
  let length = size + String(size).length
  length = size + String(length).length
  return `${length}${rest}`
}

const writeHeader = (
  batch: Buffer,
  at: number,
  type: string,
  { name, prefix }: Place,
  mode: number,
  size: number,
): void => {
  common.copy(batch, at)
  const nameLength = batch.write(name, at, 'latin1')
  writeOctal(batch, mode, at + 100, 7)
  writeOctal(batch, size, at + 124, 11)
  batch[at + 156] = type.charCodeAt(0)
  const prefixLength = prefix ? batch.write(prefix, at + 345, 'latin1') : 0
  const sum =
    sumOf(batch, at, nameLength) +
    sumOf(batch, at + 100, 7) +
    sumOf(batch, at + 124, 11) +
    batch[at + 156]! +
    sumOf(batch, at + 345, prefixLength)
  writeOctal(batch, commonSum + sum, at + 148, 6)
  batch[at + 154] = 0
}

const sumOf = (bytes: Buffer, start: number, length: number): number => {
  let sum = 0
  for (let at = start; at < start + length; at++) sum += bytes[at]!
  return sum
}

/** Writes the lowest digits, with leading zeros. */
const writeOctal = (bytes: Buffer, value: number, start: number, digits: number): void => {
  let rest = value
  for (let at = start + digits - 1; at >= start; at--) {
    bytes[at] = 0x30 + (rest % 8)
    rest = Math.floor(rest / 8)
  }
}

/** The fields that all headers share; the checksum is computed with blanks in its place. */
const common = Buffer.alloc(BLOCK)
for (const [at, digits] of [
  [108, 7],
  [116, 7],
  [136, 11],
  [329, 7],
  [337, 7],
] as const)
  writeOctal(common, 0, at, digits)
common.fill(' ', 148, 156)
common.write('ustar\0' + '00', 257)
const commonSum = sumOf(common, 0, BLOCK)
