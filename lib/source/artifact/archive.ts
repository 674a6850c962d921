import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Ignores, ignoreFile, readPatterns, sourceIgnore } from '../../ignore/source-ignore.ts'
import { compareBytes } from './byte-order.ts'
import type { SourceTree } from './source-tree.ts'
import { type TarEntry, writeTar } from './tar-writer.ts'

export interface Archive {
  /** A tar.gz: the same files give the same bytes. */
  readonly content: Buffer
  /** `sha256:<hex>` of the content. */
  readonly digest: string
}

/** Which files of a tree are left out: by its `.sourceignore` files, outer folders first, and then by `spec.ignore`. */
export const ignoresOf = (tree: SourceTree, specIgnore?: string): Ignores => {
  const files = tree.keys().filter(path => path === ignoreFile || path.endsWith(`/${ignoreFile}`))
  const patterns = inWalkOrder(files).flatMap(path => {
    const { content } = tree.get(path)!
    return readPatterns(Buffer.from(content).toString('utf8'), path.split('/').slice(0, -1))
  })
  return sourceIgnore([...patterns, ...readPatterns(specIgnore ?? '')])
}

/**
 * Packs a tree as source-controller does: the folders and files that are not ignored, folder by folder, with modes 0750,
 * 0600 and, for programs, 0700, and nothing of the machine it was made on.
 */
export const archive = async (tree: SourceTree, ignores: Ignores): Promise<Archive> => {
  const chunks: Buffer[] = []
  const digest = createHash('sha256')
  await pipeline(Readable.from(writeTar(entriesOf(tree, ignores))), createGzip(), async compressed => {
    for await (const chunk of compressed as AsyncIterable<Buffer>) {
      digest.update(chunk)
      chunks.push(chunk)
    }
  })
  return { content: Buffer.concat(chunks), digest: `sha256:${digest.digest('hex')}` }
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

/** The folders above a path that were not seen before, from the root down; they are remembered. */
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

/** Each folder's entries by name, a folder followed by what it holds: a slash sorts before every other character. */
const inWalkOrder = (paths: Iterable<string>): string[] =>
  Array.from(paths, path => ({ path, key: path.replaceAll('/', '\0') }))
    .sort((a, b) => compareBytes(a.key, b.key))
    .map(({ path }) => path)
