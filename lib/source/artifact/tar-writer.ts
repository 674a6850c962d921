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

/** The parts of the file in order; contents are passed on as they are, not copied. */
export function* writeTar(entries: Iterable<TarEntry>): Generator<Uint8Array> {
  for (const { name, mode, content } of entries) {
    const place = placeInHeader(name)
    if (!place) yield* member('x', { name: 'PaxHeaders.0', prefix: '' }, 0o644, Buffer.from(paxRecord('path', name)))
    const shortened = { name: Buffer.from(name).subarray(0, 100).toString('latin1'), prefix: '' }
    yield* member(content ? '0' : '5', place ?? shortened, mode, content)
  }
  yield Buffer.alloc(2 * BLOCK)
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

function* member(type: string, place: Place, mode: number, content?: Uint8Array): Generator<Uint8Array> {
  const size = content?.length ?? 0
  if (size > MAX_SIZE) throw new RangeError(`${place.name} is too large for a tar file`)
  yield header(type, place, mode, size)
  if (!content) return
  yield content
  const padding = -size & (BLOCK - 1)
  if (padding > 0) yield Buffer.alloc(padding)
}

const header = (type: string, { name, prefix }: Place, mode: number, size: number): Buffer => {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, digits: number) => block.write(value.toString(8).padStart(digits, '0'), at)
  block.write(name, 0, 'latin1')
  octal(mode, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(size, 124, 11)
  octal(0, 136, 11)
  block.fill(' ', 148, 156)
  block.write(type, 156)
  block.write('ustar\0' + '00', 257)
  octal(0, 329, 7)
  octal(0, 337, 7)
  block.write(prefix, 345, 'latin1')
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  )
  block[154] = 0
  return block
}
