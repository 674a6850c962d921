/** A member of a tar file, with its name as written. */
export interface TarMember {
  readonly name: string
  readonly type: MemberType
  readonly mode: number
  /** Seconds since the epoch. */
  readonly modifiedAt: number
  /** A view of the tar file, not a copy. Empty unless the member is a file. */
  readonly content: Uint8Array
}

export type MemberType = KnownType | 'unknown'

/** A tar file that is truncated, or has a malformed header. */
export class InvalidTar extends Error {}

const BLOCK = 512

const types: Readonly<Record<string, KnownType>> = {
  '0': 'file',
  '\0': 'file',
  '1': 'link',
  '2': 'symlink',
  '3': 'character-device',
  '4': 'block-device',
  '5': 'directory',
  '6': 'fifo',
  '7': 'file',
  x: 'pax-header',
  g: 'pax-global-header',
  L: 'gnu-long-name',
  K: 'gnu-long-link-name',
}

type KnownType =
  | 'file'
  | 'link'
  | 'symlink'
  | 'character-device'
  | 'block-device'
  | 'directory'
  | 'fifo'
  | 'pax-header'
  | 'pax-global-header'
  | 'gnu-long-name'
  | 'gnu-long-link-name'

/**
 * The members of a tar file: ustar, with the POSIX (pax) and GNU extensions for long names and large sizes. Ends, like
 * Go's reader, at two zero blocks or at the end of the file. Fails with InvalidTar.
 */
export function* readTar(tar: Buffer): Generator<TarMember> {
  let long: { readonly name?: string; readonly size?: number } = {}
  for (let at = 0; at < tar.length; ) {
    if (at + BLOCK > tar.length) throw new InvalidTar('the archive is truncated')
    const sum = checksumOf(tar, at)
    if (sum === EMPTY_SUM && tar.subarray(at + 148, at + 156).every(byte => byte === 0)) {
      requireZeros(tar.subarray(at + BLOCK, at + 2 * BLOCK))
      return
    }
    if (sum !== octal(tar, at + 148, 8)) throw new InvalidTar('the checksum of a header does not match')
    const letter = String.fromCharCode(tar[at + 156]!)
    const type = types[letter] ?? 'unknown'
    const isHeader = type === 'pax-header' || type === 'gnu-long-name' || type === 'gnu-long-link-name'
    const size = (isHeader ? undefined : long.size) ?? number(tar, at + 124, 12)
    const header = at
    const start = at + BLOCK
    if (!(size >= 0 && start + size <= tar.length)) throw new InvalidTar('the archive is truncated')
    const content = tar.subarray(start, start + size)
    at = start + Math.ceil(size / BLOCK) * BLOCK
    if (type === 'pax-header') long = { ...long, ...paxFields(content) }
    else if (type === 'gnu-long-name') long = { ...long, name: textOf(content, 0, size) }
    else if (type !== 'gnu-long-link-name' && type !== 'pax-global-header') {
      yield memberOf(tar, header, type, long.name, content)
      long = {}
    }
  }
}

const requireZeros = (block: Buffer): void => {
  if (block.some(byte => byte !== 0)) throw new InvalidTar('the archive has data after its end')
}

const memberOf = (
  tar: Buffer,
  header: number,
  type: MemberType,
  longName: string | undefined,
  content: Buffer,
): TarMember => {
  const name = longName ?? nameIn(tar, header)
  // Old formats mark a folder only by a slash at the end of its name.
  const isFolder = type === 'file' && name.endsWith('/')
  const mode = octal(tar, header + 100, 8)
  return {
    ...{ name, mode, modifiedAt: number(tar, header + 136, 12), type: isFolder ? 'directory' : type },
    content: type === 'file' && !isFolder ? content : nothing,
  }
}

const nothing = new Uint8Array()

/** GNU's format stores other data in the prefix field. */
const nameIn = (tar: Buffer, header: number): string => {
  const name = textOf(tar, header, 100)
  if (tar[header + 345] === 0 || tar.toString('latin1', header + 257, header + 263) !== 'ustar\0') return name
  return `${textOf(tar, header + 345, 155)}/${name}`
}

const textOf = (bytes: Buffer, start: number, length: number): string => {
  let end = start
  while (end < start + length && bytes[end] !== 0) end++
  return bytes.toString('utf8', start, end)
}

/** The sum of all bytes of a header, with the checksum field read as blanks. */
const checksumOf = (tar: Buffer, header: number): number => {
  let sum = 8 * 0x20
  for (let at = header; at < header + 148; at++) sum += tar[at]!
  for (let at = header + 156; at < header + BLOCK; at++) sum += tar[at]!
  return sum
}

const EMPTY_SUM = 8 * 0x20

const octal = (tar: Buffer, start: number, length: number): number => {
  let value = 0
  for (let at = start; at < start + length; at++) {
    const digit = tar[at]! - 0x30
    if (digit >= 0 && digit < 8) value = value * 8 + digit
    else if (digit !== -0x10 && digit !== -0x30) throw new InvalidTar('a header contains an invalid number')
    else if (value > 0) break
  }
  return value
}

/** Octal digits, or GNU's binary format for larger numbers. */
const number = (tar: Buffer, start: number, length: number): number => {
  if ((tar[start]! & 0x80) === 0) return octal(tar, start, length)
  let value = tar[start]! & 0x7f
  for (let at = start + 1; at < start + length; at++) value = value * 256 + tar[at]!
  return value
}

/** Records `<length> <key>=<value>\n`; only the name and the size are used. */
const paxFields = (content: Buffer): { name?: string; size?: number } => {
  const fields: { name?: string; size?: number } = {}
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const length = space < 0 ? Number.NaN : Number(content.toString('latin1', at, space))
    const isWhole = length > space - at && at + length <= content.length && content[at + length - 1] === 0x0a
    if (!isWhole) throw new InvalidTar('an extended header is malformed')
    const record = content.toString('utf8', space + 1, at + length - 1)
    const equals = record.indexOf('=')
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)]
    if (key === 'path') fields.name = value
    if (key === 'size') fields.size = Number(value)
    if (key.startsWith('GNU.sparse.')) throw new InvalidTar('the archive contains a sparse file')
    at += length
  }
  return fields
}
