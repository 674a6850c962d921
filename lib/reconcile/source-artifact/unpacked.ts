import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { blobNameOf } from '../../foundations/kinds/artifact.ts'
import { extract } from '../../sources/artifact/extract.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import { type ReadPorts, readArtifact, requireDigest } from './read-artifact.ts'

/**
 * The unpacked files of an artifact, or undefined if its blob is gone. With `download` the artifact comes from its URL, never from the
 * store: another server serves it, and its status is not trusted to name a path. Fails if the blob does not match its digest.
 */
export type Unpacked<T> = (artifact: Artifact, download?: Download) => Promise<T | undefined>

/** Fetches a file by its URL. */
export type Download = (url: string) => Promise<Uint8Array>

/** Cache of unpacked trees, in bytes: all that is made of a monorepo shares one unpacked tree. */
const maxCacheBytes = 64 * 1024 * 1024

/** Reads artifacts from the store, each once while it is in use; keeps the most recently used in memory, as what `from` makes of a tree. */
export const unpackedArtifacts = <T>(ports: ReadPorts, from: (tree: SourceTree) => T): Unpacked<T> => {
  /** Keyed by what was read, never by digest alone: knowing a digest grants no right to the bytes. The most recently used comes last. */
  const kept = new Map<string, Promise<Kept<T> | undefined>>()

  const unpack = async (artifact: Artifact, download?: Download): Promise<Kept<T> | undefined> => {
    const content = await (download ? downloaded(artifact, download) : readArtifact(ports, artifact))
    if (!content) return undefined
    const tree = await extract(content)
    return { files: from(tree), bytes: sizeOf(tree) }
  }

  const forgetOld = async (): Promise<void> => {
    const sizes = await Promise.all(
      [...kept].map(async ([name, unpacked]) => [name, (await unpacked.catch(() => undefined))?.bytes ?? 0] as const),
    )
    let total = 0
    for (const [name, bytes] of sizes.reverse()) {
      total += bytes
      if (total > maxCacheBytes) kept.delete(name)
    }
  }

  return async (artifact, download) => {
    const name = download ? `${artifact.url} ${artifact.digest}` : blobNameOf(artifact)
    const known = kept.get(name)
    const unpacked = known ?? unpack(artifact, download)
    kept.delete(name)
    kept.set(name, unpacked)
    try {
      const result = await unpacked
      if (!result) kept.delete(name)
      else if (!known) await forgetOld()
      return result?.files
    } catch (error) {
      kept.delete(name)
      throw error
    }
  }
}

interface Kept<T> {
  readonly files: T
  readonly bytes: number
}

const sizeOf = (tree: SourceTree): number => tree.values().reduce((sum, { content }) => sum + content.byteLength, 0)

const downloaded = async ({ url, digest }: Artifact, download: Download): Promise<Uint8Array> => {
  const content = await download(url)
  requireDigest(content, digest)
  return content
}
