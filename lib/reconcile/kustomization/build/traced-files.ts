import { hash } from 'node:crypto'
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'

/** What a build has read of a tree: digests of files and of folder listings by path; null = not found. */
export interface Trace {
  readonly files: Readonly<Record<string, string | null>>
  readonly folders: Readonly<Record<string, string | null>>
}

/** The same files, and a record of what was read so far. */
export const traceReads = (files: FileSystem): { readonly files: FileSystem; trace(): Trace } => {
  const read = new Map<string, Uint8Array | undefined>()
  const listed = new Map<string, readonly string[] | undefined>()
  return {
    files: {
      read: path => {
        const content = files.read(path)
        read.set(path, content)
        return content
      },
      list: path => {
        const names = files.list(path)
        listed.set(path, names)
        return names
      },
    },
    trace: () => ({
      files: Object.fromEntries([...read].map(([path, content]) => [path, contentDigest(content)])),
      folders: Object.fromEntries([...listed].map(([path, names]) => [path, listingDigest(names)])),
    }),
  }
}

/** Whether a build of this tree would read what the traced one read, and so give the same result. */
export const isUnchangedFor = (files: FileSystem, trace: Trace): boolean =>
  Object.entries(trace.files).every(([path, digest]) => contentDigest(files.read(path)) === digest) &&
  Object.entries(trace.folders).every(([path, digest]) => listingDigest(files.list(path)) === digest)

/** All builds of a tree share its files: each file is hashed once. */
const known = new WeakMap<Uint8Array, string>()

const contentDigest = (content: Uint8Array | undefined): string | null => {
  if (!content) return null
  const digest = known.get(content) ?? hash('sha256', content, 'base64')
  known.set(content, digest)
  return digest
}

const listingDigest = (names: readonly string[] | undefined): string | null =>
  names ? hash('sha256', JSON.stringify(names), 'base64') : null
