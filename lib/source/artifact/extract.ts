import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import type { SourceFile, SourceTree } from './source-tree.ts'

export interface ExtractLimits {
  readonly maxEntries: number
  /** Bytes of the unpacked tar file, headers included. */
  readonly maxBytes: number
}

const defaultLimits: ExtractLimits = { maxEntries: 200_000, maxBytes: 1 << 30 }

/** An archive that can't be trusted or read: damaged, too large, or with names that lead out of its root. */
export class BadArchive extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BadArchive'
  }
}

/**
 * The files of a tar.gz, in memory. Links are left out, as Flux's controllers leave them out; names that lead out of the
 * root, devices and hard links are refused, and so is what unpacks to more than the limits. Fails with BadArchive.
 */
export const extract = async (content: Uint8Array, limits: ExtractLimits = defaultLimits): Promise<SourceTree> => {
  const tar = await decompress(content, limits)
  const tree = new Map<string, SourceFile>()
  let entries = 0
  const onlyFiles = ({ name, type }: { name: string; type?: string }): boolean => {
    if (++entries > limits.maxEntries) throw new BadArchive(`the archive holds more than ${limits.maxEntries} entries`)
    requireInside(name)
    if (type === 'file' || type === undefined) return true
    if (type === 'directory' || type === 'symlink') return false
    throw new BadArchive(`the archive entry ${JSON.stringify(name)} is of the unsupported type ${type}`)
  }
  for (const { header, data } of await readTar(tar, onlyFiles)) {
    const path = normalise(header.name)
    if (path) tree.set(path, { content: data ?? new Uint8Array(), executable: ((header.mode ?? 0) & 0o111) !== 0 })
  }
  return tree
}

const decompress = async (content: Uint8Array, limits: ExtractLimits): Promise<Buffer> => {
  const isGzip = content[0] === 0x1f && content[1] === 0x8b
  if (!isGzip) throw new BadArchive('requires gzip-compressed body: gzip: invalid header')
  try {
    return await promisify(gunzip)(content, { maxOutputLength: limits.maxBytes })
  } catch (cause) {
    const grown = (cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    throw new BadArchive(
      grown ? `the archive unpacks to more than ${limits.maxBytes} bytes` : 'the archive is damaged',
      cause,
    )
  }
}

const readTar = async (tar: Buffer, filter: (header: { name: string; type?: string }) => boolean) => {
  try {
    return await unpackTar(tar, { filter, strict: true })
  } catch (cause) {
    throw cause instanceof BadArchive ? cause : new BadArchive('the archive is damaged', cause)
  }
}

/** Slash paths below the root; `./` and empty parts do no harm. */
const normalise = (name: string): string =>
  name
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/')

const requireInside = (name: string): void => {
  if (name === '' || name.startsWith('/') || /[\\\0]/.test(name) || name.split('/').includes('..')) {
    throw new BadArchive(`tar contained invalid name error ${JSON.stringify(name)}`)
  }
}
