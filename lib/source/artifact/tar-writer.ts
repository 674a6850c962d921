/**
 * Tar files whose bytes depend on nothing but the names, modes and contents given: no owner, times at the epoch. ustar
 * headers, preceded by a pax header where a name does not fit (too long, or not ASCII), as Go's archive/tar chooses.
 */
export interface TarEntry {
  readonly name: string
  readonly mode: number
  /** Absent = a folder. */
  readonly content?: Uint8Array
}

const BLOCK = 512
const MAX_SIZE = 0o77777777777
const BATCH_BYTES = 256 << 10
/** What is larger is passed on as it is, not copied. */
const LARGEST_COPIED = BATCH_BYTES - BLOCK

/** The file in pieces of 256 KiB or less, but for large contents: compressors run on other threads, and few bytes are not worth the way. */
export function* writeTar(entries: Iterable<TarEntry>): Generator<Uint8Array> {
  let batch = Buffer.alloc(BATCH_BYTES)
  let used = 0
  for (const { type, place, mode, content = nothing } of membersOf(entries)) {
    const isCopied = content.length <= LARGEST_COPIED
    const padding = -content.length & (BLOCK - 1)
    if (used + BLOCK + (isCopied ? content.length + padding : 0) > BATCH_BYTES) {
      yield batch.subarray(0, used)
      batch = Buffer.alloc(BATCH_BYTES)
      used = 0
    }
    writeHeader(batch.subarray(used, used + BLOCK), type, place, mode, content.length)
    used += BLOCK
    if (isCopied) {
      batch.set(content, used)
      used += content.length + padding
    } else {
      yield batch.subarray(0, used)
      yield content
      batch = Buffer.alloc(BATCH_BYTES)
      used = padding
    }
  }
  yield batch.subarray(0, used)
  yield Buffer.alloc(2 * BLOCK)
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

/** A name of 100 bytes, or one that is cut at a slash into 155 and 100 bytes. */
const placeInHeader = (name: string): Place | undefined => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ustar names are ASCII, and NUL ends them.
  if (!/^[\x01-\x7f]*$/.test(name)) return undefined
  if (name.length <= 100) return { name, prefix: '' }
  const slash = name.lastIndexOf('/', 155)
  const rest = name.slice(slash + 1)
  return slash > 0 && rest.length > 0 && rest.length <= 100 ? { name: rest, prefix: name.slice(0, slash) } : undefined
}

/** `<length> <key>=<value>\n`, whose length counts its own digits too. */
const paxRecord = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`
  const size = Buffer.byteLength(rest)
  let length = size + String(size).length
  length = size + String(length).length
  return `${length}${rest}`
}

const writeHeader = (block: Buffer, type: string, { name, prefix }: Place, mode: number, size: number): void => {
  common.copy(block)
  block.write(name, 0, 'latin1')
  writeOctal(block, mode, 100, 7)
  writeOctal(block, size, 124, 11)
  block.write(type, 156, 'latin1')
  if (prefix) block.write(prefix, 345, 'latin1')
  let sum = 0
  for (let at = 0; at < BLOCK; at++) sum += block[at]!
  writeOctal(block, sum, 148, 6)
  block[154] = 0
}

const writeOctal = (block: Buffer, value: number, at: number, digits: number): void => {
  block.write(value.toString(8).padStart(digits, '0'), at, 'latin1')
}

/** What all headers have in common; the checksum is taken with blanks in its place. */
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
