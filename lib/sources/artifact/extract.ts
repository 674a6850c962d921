import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { SourceFile, SourceTree } from './source-tree.ts'
import { InvalidTar, readTar, type TarMember } from './tar-reader.ts'

export interface ExtractLimits {
  readonly maxEntries: number
  /** Bytes of the unpacked tar file, headers included. */
  readonly maxBytes: number
}

const defaultLimits: ExtractLimits = { maxEntries: 200_000, maxBytes: 1 << 30 }

/** An archive that is damaged, too large, or has names that lead out of its root. */
export class InvalidArchive extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InvalidArchive'
  }
}

/**
 * Unpacks a tar.gz into memory. Skips links, as Flux's controllers do; refuses names that lead out of the root,
 * devices, hard links, and archives that exceed the limits. Fails with InvalidArchive.
 */
export const extract = async (content: Uint8Array, limits: ExtractLimits = defaultLimits): Promise<SourceTree> => {
  const tar = await decompress(content, limits)
  const tree = new Map<string, SourceFile>()
  let entries = 0
  for (const { name, type, mode, content } of membersOf(tar)) {
    if (++entries > limits.maxEntries)
      throw new InvalidArchive(`the archive has more than ${limits.maxEntries} entries`)
    requireInside(name)
    if (type === 'directory' || type === 'symlink') continue
    if (type !== 'file') {
      throw new InvalidArchive(`the archive entry ${JSON.stringify(name)} has the unsupported type ${type}`)
    }
    const path = normalise(name)
    if (path) tree.set(path, { content, executable: (mode & 0o111) !== 0 })
  }
  return tree
}

/** gzip's highest compression ratio. */
const MAX_FOR_A_BYTE = 1032

/** A gzip file ends with its uncompressed size: used to allocate memory once. The value may be wrong. */
const likelySize = (content: Uint8Array, { maxBytes }: ExtractLimits): number => {
  const declared =
    content.length < 18
      ? 0
      : Buffer.from(content.buffer, content.byteOffset, content.length).readUInt32LE(content.length - 4)
  return Math.max(64, Math.min(declared, content.length * MAX_FOR_A_BYTE, maxBytes) + 1)
}

function* membersOf(tar: Buffer): Generator<TarMember> {
  try {
    yield* readTar(tar)
  } catch (cause) {
    throw cause instanceof InvalidTar ? new InvalidArchive('the archive is damaged', cause) : cause
  }
}

const decompress = async (content: Uint8Array, limits: ExtractLimits): Promise<Buffer> => {
  const isGzip = content[0] === 0x1f && content[1] === 0x8b
  if (!isGzip) throw new InvalidArchive('requires gzip-compressed body: gzip: invalid header')
  try {
    return await promisify(gunzip)(content, {
      maxOutputLength: limits.maxBytes,
      chunkSize: likelySize(content, limits),
    })
  } catch (cause) {
    const grown = (cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    throw new InvalidArchive(
      grown ? `the archive unpacks to more than ${limits.maxBytes} bytes` : 'the archive is damaged',
      cause,
    )
  }
}

/** Converts a name to a slash path below the root; drops `./` and empty parts. */
const normalise = (name: string): string => {
  const isPlain = !/^\.\/|\/\/|\/\.\/|\/\.?$|^\.$/.test(name)
  return isPlain ? name : withoutEmptyParts(name)
}

const withoutEmptyParts = (name: string): string =>
  name
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/')

const requireInside = (name: string): void => {
  if (name === '' || name.startsWith('/') || /[\\\0]|(^|\/)\.\.($|\/)/.test(name)) {
    throw new InvalidArchive(`tar contained invalid name error ${JSON.stringify(name)}`)
  }
}
