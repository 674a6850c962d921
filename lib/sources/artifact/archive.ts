import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import { type Ignores, ignoreFile, readPatterns, sourceIgnore } from '../../engines/ignore/source-ignore.ts'
import type { SourceTree } from './source-tree.ts'
import { type TarEntry, writeTar } from './tar-writer.ts'
import { inWalkOrder } from './walk-order.ts'

export interface Archive {
  /** A tar.gz: equal files give equal bytes. */
  readonly content: Buffer
  /** `sha256:<hex>` of the content. */
  readonly digest: string
}

/** The ignore rules of a tree: its `.sourceignore` files, outer folders first, then `spec.ignore`. */
export const sourceIgnores = (tree: SourceTree, specIgnore?: string): Ignores => {
  const files = tree.keys().filter(path => path === ignoreFile || path.endsWith(`/${ignoreFile}`))
  const patterns = inWalkOrder(files).flatMap(path => {
    const { content } = tree.get(path)!
    return readPatterns(Buffer.from(content).toString('utf8'), path.split('/').slice(0, -1))
  })
  return sourceIgnore([...patterns, ...readPatterns(specIgnore ?? '')])
}

/**
 * Packs a tree as source-controller does: all files and folders that are not ignored, folder by folder, with modes
 * 0750, 0600 and, for executables, 0700, and without owners or times.
 */
export const archive = async (tree: SourceTree, ignores: Ignores): Promise<Archive> => {
  const chunks: Buffer[] = []
  const digest = await archiveInto({ append: chunk => chunks.push(chunk) }, tree, ignores)
  return { content: Buffer.concat(chunks), digest }
}

/** Like `archive`, but writes in pieces, for large trees; returns the digest. */
export const archiveInto = async (
  packed: { append(chunk: Buffer): void },
  tree: SourceTree,
  ignores: Ignores,
): Promise<string> => {
  const digest = createHash('sha256')
  await compress(writeTar(entriesOf(tree, ignores), 'recycled'), chunk => {
    digest.update(chunk)
    packed.append(chunk)
  })
  return `sha256:${digest.digest('hex')}`
}

const CHUNK_BYTES = 64 << 10

/** The next piece is prepared while zlib compresses the previous one on its own thread. */
const compress = async (pieces: Iterable<Uint8Array>, take: (chunk: Buffer) => void): Promise<void> => {
  const compressor = createGzip({ chunkSize: CHUNK_BYTES })
  compressor.on('data', take)
  const feed = async (): Promise<void> => {
    let last: Promise<void> | undefined
    for (const piece of pieces) {
      await last
      last = new Promise((resolve, reject) => compressor.write(piece, error => (error ? reject(error) : resolve())))
    }
    await last
    compressor.end()
  }
  try {
    await Promise.all([once(compressor, 'end'), feed()])
  } finally {
    compressor.destroy()
  }
}

const folder = (name: string): TarEntry => ({ name, mode: 0o750 })

function* entriesOf(tree: SourceTree, ignores: Ignores): Generator<TarEntry> {
  const seen = new Set<string>()
  yield folder('.')
  for (const path of inWalkOrder(tree.keys())) {
    const names = path.split('/')
    for (const parent of newFolders(path, seen)) if (!ignores(parent.split('/'), true)) yield folder(parent)
    if (ignores(names, false)) continue
    const { content, executable } = tree.get(path)!
    yield { name: path, mode: executable ? 0o700 : 0o600, content }
  }
}

/** The parent folders of a path that are not in `seen`, from the root down; adds them to `seen`. */
const newFolders = (path: string, seen: Set<string>): string[] => {
  const folders: string[] = []
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const parent = path.slice(0, slash)
    if (seen.has(parent)) break
    seen.add(parent)
    folders.unshift(parent)
  }
  return folders
}
