import { sha256Digest } from './sha256.ts'

/** The hub's record of a unit's held deletions, which no tenant can write. */
export interface GuardMemory {
  /** The list that is currently held. */
  readonly held?: Held
  /** Ids whose deletion was approved, until they are deleted or back in the build. */
  readonly released?: readonly string[]
  /** The last approval that was used: each counts once. */
  readonly usedApproval?: string
}

/** Deletions that are held until a user approves exactly this list. */
export interface Held {
  /** Inventory ids, sorted. */
  readonly ids: readonly string[]
  /** See `listDigest`. */
  readonly digest: string
  /** Why they are held: sentences without a full stop. */
  readonly reasons: readonly string[]
}

export interface GuardInput {
  /** Inventory ids that are not in the build any more, still exist, and would be deleted. */
  readonly deletable: readonly string[]
  /** Number of recorded objects that are still in the build. */
  readonly kept: number
  /** Number of objects in the build. */
  readonly built: number
  /** Objects whose deletion would delete more than themselves, by id, with a description. */
  readonly contents: ReadonlyMap<string, string>
  readonly memory: GuardMemory
  /** Value of the unit's annotation `keelson.dev/allow-prune`. */
  readonly approval?: string | undefined
}

/** Inventories with fewer objects may shrink by any share, as long as something is left. */
const minGuardedObjects = 10

/** Whether a build drops so much that it may be an accident: everything, or more than half of ten or more objects. */
export const isMassDeletion = (dropped: number, kept: number, built: number): boolean =>
  dropped > 0 && (built === 0 || (dropped + kept >= minGuardedObjects && dropped * 2 > dropped + kept))

/**
 * Decides which deletions are held. A held id stays held, whatever the shares are later (renaming everything drops half of the inventory
 * only once), until it is back in the build, gone, or approved. Returns the memory for the next pass.
 */
export const guardDeletions = (input: GuardInput): GuardMemory => {
  const { deletable, kept, built, contents, memory, approval } = input
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
  const earlierReasons = mass.length > 0 ? [] : (memory.held?.reasons ?? []).filter(isMassReason)
  const single = ids.flatMap(id => contents.get(id) ?? [])
  return { ...used, ...rest, held: { ids, digest, reasons: [...mass, ...earlierReasons, ...single] } }
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

/** An approval is a digest, optionally followed by `@` and any text to make it unique: each counts once. */
export const approvedDigest = (approval: string): string => approval.split('@', 1)[0]!.trim()
