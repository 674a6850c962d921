import { sha256Digest } from './sha256.ts'

/** What the hub keeps about the deletions of one unit, where no tenant can write. */
export interface GuardMemory {
  /** The list that waits now. */
  readonly held?: Held
  /** Ids that somebody has let go, until they are deleted or are back in the build. */
  readonly released?: readonly string[]
  /** The last annotation that has let a list go: it counts once. */
  readonly usedApproval?: string
}

/** Deletions that wait until somebody allows exactly this list. */
export interface Held {
  /** Inventory ids, sorted. */
  readonly ids: readonly string[]
  /** See `listDigest`. */
  readonly digest: string
  /** Why they wait: a sentence without a full stop for each reason. */
  readonly reasons: readonly string[]
}

export interface GuardQuestion {
  /** Inventory ids that have left the build, are live and would be deleted. */
  readonly deletable: readonly string[]
  /** How many recorded objects the build still has. */
  readonly kept: number
  /** How many objects the build has. */
  readonly built: number
  /** Objects whose deletion would take more than themselves along, by id: what, in words. */
  readonly contents: ReadonlyMap<string, string>
  readonly memory: GuardMemory
  /** Value of the unit's annotation `keelson.dev/allow-prune`. */
  readonly approval?: string | undefined
}

/** Inventories below this many objects may shrink by any share, as long as something is left. */
const smallestGuarded = 10

/** Whether a build drops so much that it looks like an accident: everything, or more than half of ten objects or more. */
export const isMassDeletion = (dropped: number, kept: number, built: number): boolean =>
  dropped > 0 && (built === 0 || (dropped + kept >= smallestGuarded && dropped * 2 > dropped + kept))

/**
 * Decides which deletions wait. An id that waits keeps waiting, whatever the shares are by then (a rename of everything is half
 * of the inventory only once), until it is back in the build, gone, or allowed. Returns the memory for the next pass.
 */
export const guardDeletions = (question: GuardQuestion): GuardMemory => {
  const { deletable, kept, built, contents, memory, approval } = question
  const released = deletable.filter(id => memory.released?.includes(id))
  const candidates = deletable.filter(id => !released.includes(id))
  const isMass = isMassDeletion(candidates.length, kept, built)
  const wasHeld = new Set(memory.held?.ids)
  const ids = candidates.filter(id => isMass || wasHeld.has(id) || contents.has(id)).toSorted()
  const used = memory.usedApproval === undefined ? {} : { usedApproval: memory.usedApproval }
  const rest = released.length > 0 ? { released } : {}
  if (ids.length === 0) return { ...used, ...rest }
  const digest = listDigest(ids)
  if (approval && approval !== memory.usedApproval && approvedDigest(approval) === digest)
    return { released: [...released, ...ids].toSorted(), usedApproval: approval }
  const mass = isMass ? [massReason(candidates.length, kept, built)] : []
  const former = mass.length > 0 ? [] : (memory.held?.reasons ?? []).filter(isMassReason)
  const single = ids.flatMap(id => contents.get(id) ?? [])
  return { ...used, ...rest, held: { ids, digest, reasons: [...mass, ...former, ...single] } }
}

const massReason = (dropped: number, kept: number, built: number): string =>
  built === 0 ? 'the build is empty' : `the build drops ${dropped} of ${dropped + kept} objects`

const isMassReason = (reason: string): boolean => reason.startsWith('the build ')

/** `sha256:` and the hex digest of the sorted inventory ids, each followed by a newline. */
export const listDigest = (ids: readonly string[]): string =>
  sha256Digest(
    ids
      .toSorted()
      .map(id => `${id}\n`)
      .join(''),
  )

/** An approval is a digest, and may go on with `@` and anything that makes it another one: each counts once. */
export const approvedDigest = (approval: string): string => approval.split('@', 1)[0]!.trim()
