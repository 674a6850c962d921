import { excludeTags } from '../../engines/image-policy/exclude-tags.ts'
import { adler32 } from '../../foundations/go/adler32.ts'
import { folderOf } from '../../foundations/kinds/artifact.ts'
import { exclusionListOf, type ImageRepository } from '../../foundations/kinds/image-repository.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'

/**
 * The tags that registries have listed, as blobs: a list may be larger than an object. Equal lists are stored once, whichever ImageRepositories have
 * scanned them. What an object holds is a claim: without it there are no tags, as credentials decide which tags an object may see.
 */
export interface TagLists {
  /** Whether the object holds this list. */
  has(repository: ImageRepository, tags: readonly string[]): Promise<boolean>
  /** Replaces the list of an object. */
  store(repository: ImageRepository, tags: readonly string[]): Promise<void>
  /** The list of the last scan; empty if there is none. */
  all(repository: ImageRepository): Promise<readonly string[]>
  /** Those of them that the object does not exclude. */
  read(repository: ImageRepository): Promise<readonly string[]>
  delete(repository: ImageRepository): Promise<void>
}

/**
 * Lists below a folder per object, whose name is its claim. A list of another scan is deleted when the next one is
 * stored.
 */
export const tagLists = (blobs: Pick<ArtifactStore, 'put' | 'get' | 'has' | 'list' | 'delete'>): TagLists => {
  const namesOf = async (repository: ImageRepository): Promise<readonly string[]> => {
    const stored = await Array.fromAsync(blobs.list(folderOf(repository)))
    return stored.sort((a, b) => b.storedAt - a.storedAt).map(({ name }) => name)
  }
  const deleteAll = (names: readonly string[]) => Promise.all(names.map(name => blobs.delete(name)))

  /** Usually there is one list. After a crash there may be two: then the one that the status is about. */
  const all = async (repository: ImageRepository): Promise<readonly string[]> => {
    const names = await namesOf(repository)
    let newest: readonly string[] | undefined
    for (const name of names) {
      const content = await blobs.get(name)
      if (!content) continue
      const tags = JSON.parse(Buffer.from(content).toString('utf8')) as readonly string[]
      if (names.length === 1) return tags
      newest ??= tags
      const { revision } = resultOf(tags, observedExclusions(repository))
      if (revision === repository.status?.lastScanResult?.revision) return tags
    }
    return newest ?? []
  }

  return {
    has: (repository, tags) => blobs.has(nameOf(repository, textOf(tags))),

    async store(repository, tags) {
      const text = textOf(tags)
      const name = nameOf(repository, text)
      await blobs.put(name, Buffer.from(text))
      await deleteAll((await namesOf(repository)).filter(other => other !== name))
    },

    all,

    read: async repository => resultOf(await all(repository), observedExclusions(repository)).found,

    async delete(repository) {
      await deleteAll(await namesOf(repository))
    },
  }
}

const observedExclusions = (repository: ImageRepository): readonly string[] =>
  repository.status?.observedExclusionList ?? exclusionListOf(repository)

/** The tags that an object does not exclude, in descending order, and the revision of a scan that finds them. */
export const resultOf = (tags: readonly string[], exclusions: readonly string[]) => {
  const found = excludeTags(tags, exclusions)
  return { found, revision: String(adler32(JSON.stringify(found))) }
}

/** Registries may list in any order. */
const textOf = (tags: readonly string[]): string => JSON.stringify(excludeTags(tags, []))

const nameOf = (repository: ImageRepository, text: string): string =>
  `${folderOf(repository)}${sha256Digest(text).slice('sha256:'.length)}.json`
