import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import type { Artifact } from '../../../foundations/kinds/artifact.ts'
import { blobNameOf } from '../../../foundations/kinds/artifact.ts'
import { extract } from '../../../sources/artifact/extract.ts'
import { fileSystemOf } from '../../../sources/artifact/file-system.ts'
import type { SourceTree } from '../../../sources/artifact/source-tree.ts'
import { type ReadPorts, readArtifact, requireDigest } from '../../source-artifact/read-artifact.ts'

/**
 * The files of an artifact, or undefined when its blob is gone. With `download` it comes from its URL and never from the
 * store: others serve it, and the path in its status says nothing. Fails when the blob is not what its digest says.
 */
export type SourceFiles = (artifact: Artifact, download?: Download) => Promise<FileSystem | undefined>

/** Fetches a file by its URL. */
export type Download = (url: string) => Promise<Uint8Array>

/** Unpacked trees that are kept, in bytes: so many Kustomizations of one monorepo unpack it once. */
const keptBytes = 64 * 1024 * 1024

/** Reads artifacts from the store, each once while it is in use; those that were used last are kept in memory. */
export const createSourceFiles = (ports: ReadPorts): SourceFiles => {
  /** By what was read, never by digest alone: knowing a digest is no right to the bytes. The one used last at the end. */
  const kept = new Map<string, Promise<Unpacked | undefined>>()

  const unpack = async (artifact: Artifact, download?: Download): Promise<Unpacked | undefined> => {
    const content = await (download ? downloaded(artifact, download) : readArtifact(ports, artifact))
    if (!content) return undefined
    const tree = await extract(content)
    return { files: fileSystemOf(tree), bytes: sizeOf(tree) }
  }

  const forgetOld = async (): Promise<void> => {
    const sizes = await Promise.all(
      [...kept].map(async ([name, unpacked]) => [name, (await unpacked.catch(() => undefined))?.bytes ?? 0] as const),
    )
    let total = 0
    for (const [name, bytes] of sizes.reverse()) {
      total += bytes
      if (total > keptBytes) kept.delete(name)
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

interface Unpacked {
  readonly files: FileSystem
  readonly bytes: number
}

const sizeOf = (tree: SourceTree): number => tree.values().reduce((sum, { content }) => sum + content.byteLength, 0)

const downloaded = async ({ url, digest }: Artifact, download: Download): Promise<Uint8Array> => {
  const content = await download(url)
  requireDigest(content, digest)
  return content
}
