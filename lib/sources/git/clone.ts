import { type GitObject, type GitObjects, sizeOf } from './git-object.ts'
import { readCommit } from './read-object.ts'

/**
 * What several sessions of one repository fetch only once: commits with their trees, and the blobs that a selection keeps.
 * Only sessions with the same access may share one, one after the other. It has no references: each session resolves its own with the server.
 */
export interface Clone {
  /** Bytes in memory. */
  readonly size: number
  /** The trees of a commit, and all blobs that are known; undefined if the commit is not known. */
  objectsOf(commit: string): GitObjects | undefined
  /** Whether a blob was fetched, be it kept or not. */
  hasRead(blob: string): boolean
  /** Adds a commit that was fetched with its trees, in place of those before it. Returns all objects that are known now. */
  addFetched(commit: string, objects: GitObjects, blobs: FetchedBlobs): GitObjects
  /** Adds commits over known ones that were pushed, with what is new in them. */
  addPushed(commits: readonly string[], objects: GitObjects): void
}

export interface FetchedBlobs {
  readonly kept: GitObjects
  /** Those that a selection does not keep. */
  readonly dropped: Iterable<string>
}

/** The name of an object, and an entry of a map. */
const bytesOfEntry = 150

/** Holds at most so many bytes, otherwise nothing. */
export const clone = (maxBytes: number): Clone => {
  let objects = new Map<string, GitObject>()
  let dropped = new Set<string>()
  let commits = new Set<string>()
  let size = 0

  const add = (id: string, object: GitObject): void => {
    if (objects.has(id)) return
    objects.set(id, object)
    size += sizeOf(object) + bytesOfEntry
  }
  const drop = (id: string): void => {
    if (dropped.has(id)) return
    dropped.add(id)
    size += bytesOfEntry
  }
  const clear = (): void => {
    ;[objects, dropped, commits, size] = [new Map(), new Set(), new Set(), 0]
  }

  return {
    get size() {
      return size
    },

    objectsOf: commit => (commits.has(commit) ? objects : undefined),

    hasRead: blob => objects.has(blob) || dropped.has(blob),

    addFetched: (commit, fetched, blobs) => {
      if (!commits.has(commit)) {
        const [before, known] = [objects, dropped]
        clear()
        // Blobs are named by their content, and most are those of the commit before.
        for (const [id, object] of before) if (object.type === 'blob') add(id, object)
        for (const id of known) drop(id)
        for (const [id, object] of fetched) if (object.type !== 'blob') add(id, object)
        commits.add(commit)
      }
      for (const [id, object] of blobs.kept) add(id, object)
      for (const id of blobs.dropped) drop(id)
      const all = objects
      if (size > maxBytes) clear()
      return all
    },

    addPushed: (pushed, added) => {
      const isOverKnown = (commit: string) => commits.has(readCommit(added, commit).parent ?? '')
      const known = pushed.filter(commit => added.has(commit) && isOverKnown(commit))
      if (known.length === 0) return
      for (const [id, { type, content }] of added) add(id, { type, content })
      for (const commit of known) commits.add(commit)
      if (size > maxBytes) clear()
    },
  }
}
