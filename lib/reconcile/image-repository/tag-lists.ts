import { adler32 } from '../../foundations/go/adler32.ts'
import { folderOf } from '../../foundations/kinds/artifact.ts'
import type { ImageRepository } from '../../foundations/kinds/image-repository.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { BlobStore } from '../../platform/ports/artifacts.ts'

/**
 * The tags of each ImageRepository, as blobs: a list may be larger than an object. They are kept per object, and not per image, as
 * credentials decide which tags an object may see.
 */
export interface TagLists {
  /** Whether this list is stored. */
  has(repository: ImageRepository, tags: readonly string[]): Promise<boolean>
  /** Replaces the list; returns its checksum, the revision of a scan. */
  store(repository: ImageRepository, tags: readonly string[]): Promise<string>
  /** The list of the last scan; empty if there is none. */
  read(repository: ImageRepository): Promise<readonly string[]>
  delete(repository: ImageRepository): Promise<void>
}

export const tagLists = (blobs: Pick<BlobStore, 'put' | 'get' | 'has' | 'list' | 'delete'>): TagLists => {
  const namesOf = async (repository: ImageRepository): Promise<readonly string[]> => {
    const stored = await Array.fromAsync(blobs.list(folderOf(repository)))
    return stored.sort((a, b) => b.storedAt - a.storedAt).map(({ name }) => name)
  }
  const deleteAll = (names: readonly string[]) => Promise.all(names.map(name => blobs.delete(name)))

  const nameOf = (repository: ImageRepository, text: string): string =>
    `${folderOf(repository)}${sha256Digest(Buffer.from(text)).slice('sha256:'.length)}.json`

  return {
    has: (repository, tags) => blobs.has(nameOf(repository, JSON.stringify(tags))),

    async store(repository, tags) {
      const text = JSON.stringify(tags)
      const revision = revisionOf(text)
      const name = nameOf(repository, text)
      // The usual case is an equal list, which takes one request.
      if (revision === repository.status?.lastScanResult?.revision && (await blobs.has(name))) return revision
      await blobs.put(name, Buffer.from(text))
      await deleteAll((await namesOf(repository)).filter(other => other !== name))
      return revision
    },

    /** Usually there is one list. After a crash there may be two: then the one that the status is about. */
    async read(repository) {
      const names = await namesOf(repository)
      let newest: string | undefined
      for (const name of names) {
        const content = await blobs.get(name)
        if (!content) continue
        const text = Buffer.from(content).toString('utf8')
        newest ??= text
        if (names.length === 1 || revisionOf(text) === repository.status?.lastScanResult?.revision)
          return JSON.parse(text) as readonly string[]
      }
      return JSON.parse(newest ?? '[]') as readonly string[]
    },

    async delete(repository) {
      await deleteAll(await namesOf(repository))
    },
  }
}

/** The checksum of a list of tags, the revision of its scan: Adler-32 of the list as JSON, in decimal. */
export const revisionOfTags = (tags: readonly string[]): string => revisionOf(JSON.stringify(tags))

const revisionOf = (json: string): string => String(adler32(json))
