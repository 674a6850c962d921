import { type Spool, spool } from '../spool.ts'
import type { Clone } from './clone.ts'
import { GitError, tooLarge } from './git-error.ts'
import type { GitObject, GitObjects } from './git-object.ts'
import type { GitLimits } from './limits.ts'
import { peel, readCommit } from './read-object.ts'
import type { Target } from './reference.ts'
import type { FetchRequest } from './remote.ts'
import { type Selection, wantedBlobs } from './worktree.ts'

/** Of one request: each one is a line of it. */
const MAX_BLOBS_WANTED = 10_000
/** Of blobs that are held in memory, whereas a whole pack may be on disk. */
const MAX_KEPT_BYTES = 128 << 20

export interface PartialFetch {
  readonly limits: GitLimits
  readonly signal: AbortSignal
  readonly clone: Clone | undefined
  /** Fetches objects that stay readable. */
  objectsOf(request: FetchRequest): Promise<GitObjects>
  /** Fetches objects that are readable as long as the pack. */
  fetchInto(pack: Spool, request: FetchRequest): Promise<GitObjects>
}

type Keeps = (content: Uint8Array) => boolean

/**
 * The objects for a partial checkout: first the trees, then the wanted files, and none that a clone has. Undefined if the server does not
 * support it, or if so many files are wanted that the whole pack is cheaper.
 */
export const partialObjects = async (
  fetching: PartialFetch,
  target: Target,
  selection: Selection,
): Promise<GitObjects | undefined> => {
  const { limits, signal, clone, objectsOf } = fetching
  try {
    const known = selection.keeps && clone?.objectsOf(target.want)
    const trees = known ?? (await objectsOf({ wants: [target.want], depth: 1, filter: 'blob:none' }))
    const { tree } = readCommit(trees, peel(trees, target.want))
    const missing = [...(await wantedBlobs(trees, tree, limits, selection))].filter(id => !trees.has(id))
    if (selection.keeps) {
      const all = await withKeptBlobs(fetching, target, trees, { missing, keeps: selection.keeps })
      return known ?? new Map([...trees, ...all])
    }
    if (missing.length > MAX_BLOBS_WANTED) return undefined
    const blobs = missing.length > 0 ? await objectsOf({ wants: missing }) : new Map()
    return new Map([...trees, ...blobs])
  } catch (error) {
    if (signal.aborted || !(error instanceof GitError)) throw error
    return undefined
  }
}

const withKeptBlobs = async (
  fetching: PartialFetch,
  target: Target,
  trees: GitObjects,
  { missing, keeps }: { readonly missing: readonly string[]; readonly keeps: Keeps },
): Promise<GitObjects> => {
  const { clone } = fetching
  const wants = clone ? missing.filter(id => !clone.hasRead(id)) : missing
  const kept = await keptBlobs(fetching, wants, keeps)
  return clone ? clone.addFetched(target.want, trees, { kept, dropped: wants.filter(id => !kept.has(id)) }) : kept
}

/** Reads blobs in several requests, and holds only those that are kept. */
const keptBlobs = async ({ fetchInto }: PartialFetch, wants: readonly string[], keeps: Keeps): Promise<GitObjects> => {
  const kept = new Map<string, GitObject>()
  let bytes = 0
  for (let from = 0; from < wants.length; from += MAX_BLOBS_WANTED) {
    using pack = spool()
    const blobs = await fetchInto(pack, { wants: wants.slice(from, from + MAX_BLOBS_WANTED) })
    for (const [id, { type, content }] of blobs) {
      if (!keeps(content)) continue
      kept.set(id, { type, content: Buffer.from(content) })
      bytes += content.length
      if (bytes > MAX_KEPT_BYTES) throw tooLarge(`the selected files are larger than ${MAX_KEPT_BYTES} bytes`)
    }
  }
  return kept
}

/** Adds to a clone what a server without filters has sent, unless some of it is on disk. */
export const addWhole = (clone: Clone, { want }: Target, objects: GitObjects, { keeps }: Selection): void => {
  if (!keeps) return
  const kept = new Map<string, GitObject>()
  const dropped: string[] = []
  for (const [id, object] of objects) {
    if (object.size !== undefined) return
    if (object.type !== 'blob') continue
    if (keeps(object.content)) kept.set(id, object)
    else dropped.push(id)
  }
  clone.addFetched(want, objects, { kept, dropped })
}
