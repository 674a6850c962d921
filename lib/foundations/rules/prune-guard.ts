import { describeRef } from '../kinds/object.ts'
import type { ApprovalState } from './approvals.ts'
import { parseInventoryId } from './inventory.ts'
import { decisionAbout, type ListDecisions } from './list-approval.ts'
import type { AppliedLimit } from './prune-rules.ts'
import { sha256Digest } from './sha256.ts'

/** The hub's record of a unit's held deletions, which no tenant can write. */
export interface GuardMemory {
  /** The list that is currently held. */
  readonly held?: Held
  /** Ids whose deletion was approved, until they are deleted or back in the build. */
  readonly released?: readonly string[]
  /** The last approval that was used: each counts once. */
  readonly usedApproval?: string
  /** UIDs of the Approvals that were used: they, too, count once. */
  readonly usedApprovals?: readonly string[]
}

/** Deletions that are held until a user approves exactly this list. */
export interface Held {
  /** Inventory ids, sorted. */
  readonly ids: readonly string[]
  /** See `listDigest`. */
  readonly digest: string
  /** Why they are held: sentences without a full stop. */
  readonly reasons: readonly string[]
  /** What users have decided, if the annotation `keelson.dev/allow-prune` can't release the list. */
  readonly decision?: Exclude<ApprovalState, { readonly state: 'Approved' }>
}

export interface GuardInput {
  /** Inventory ids that are not in the build any more, still exist, and would be deleted. */
  readonly deletable: readonly string[]
  /** Number of recorded objects that are still in the build. */
  readonly kept: number
  /** Number of objects in the build. */
  readonly built: number
  /** Why the deletion of a single object waits, by id: what it would take along, or who requires approval of it. */
  readonly reasons: ReadonlyMap<string, string>
  /** By the id of a Namespace or CustomResourceDefinition: those of `deletable` that its deletion would delete, too. */
  readonly inside: ReadonlyMap<string, readonly string[]>
  readonly limits: readonly AppliedLimit[]
  readonly memory: GuardMemory
  /** Ids whose deletion was approved otherwise, such as by the Plan that is applied. */
  readonly approvedIds?: ReadonlySet<string> | undefined
  /** Value of the unit's annotation `keelson.dev/allow-prune`. */
  readonly approval?: string | undefined
  /** The decisions of users, once something is held. */
  readonly decisions?: ListDecisions | undefined
}

/** Inventories with fewer objects may shrink by any share, as long as something is left. */
const minSharedObjects = 10

interface Shrinkage {
  readonly dropped: number
  /** What was there before. */
  readonly all: number
  readonly built: number
}

/** Why a build drops so much that it may be an accident: everything, or more than a limit allows. Undefined if it does not. */
export const massReason = ({ dropped, all, built }: Shrinkage, limits: readonly AppliedLimit[]): string | undefined => {
  if (dropped === 0) return undefined
  if (built === 0) return 'the build is empty'
  const exceeded = limits.find(
    ({ objects = Number.POSITIVE_INFINITY, percent = 100 }) =>
      dropped > objects || (all >= minSharedObjects && dropped * 100 > all * percent),
  )
  if (!exceeded) return undefined
  return `the build drops ${dropped} of ${all} objects${exceeded.by ? `, more than allowed by ${exceeded.by}` : ''}`
}

/**
 * Decides which deletions are held. A held id stays held, whatever the shares are later (renaming everything drops half of the inventory
 * only once), until it is back in the build, gone, or approved. Returns the memory for the next pass.
 */
export const guardDeletions = (input: GuardInput): GuardMemory => {
  const { deletable, kept, built, memory, approval } = input
  const isReleased = (id: string) => memory.released?.includes(id) === true || input.approvedIds?.has(id) === true
  const candidates = deletable.filter(id => !isReleased(id))
  const mass = massReason({ dropped: candidates.length, all: deletable.length + kept, built }, input.limits)
  const wasHeld = new Set(memory.held?.ids)
  const alone = new Set(candidates.filter(id => mass !== undefined || wasHeld.has(id) || input.reasons.has(id)))
  const ids = deletable.filter(id => alone.has(id) || input.inside.get(id)?.some(inner => alone.has(inner))).toSorted()
  const released = deletable.filter(id => isReleased(id) && !ids.includes(id))
  const used = usedOf(memory)
  const rest = released.length > 0 ? { released } : {}
  if (ids.length === 0) return { ...used, ...rest }
  const digest = listDigest(ids)
  const all = [...released, ...ids].toSorted()
  const { state, using, isAnnotationEnough } = decisionAbout(digest, memory.usedApprovals, input.decisions)
  if (state.state === 'Approved') return { ...used, released: all, usedApprovals: using }
  if (isAnnotationEnough && approval && approval !== memory.usedApproval && approvedDigest(approval) === digest)
    return { ...used, released: all, usedApproval: approval }
  const earlier = mass === undefined ? (memory.held?.reasons ?? []).filter(isMassReason) : [mass]
  const single = ids.flatMap(id => input.reasons.get(id) ?? [])
  const carriers = ids
    .filter(id => !alone.has(id))
    .map(id => `${describeRef(parseInventoryId(id))}: objects in it wait`)
  const reasons = [...earlier, ...single, ...carriers]
  return { ...used, ...rest, held: { ids, digest, reasons, ...(!isAnnotationEnough && { decision: state }) } }
}

const usedOf = ({ usedApproval, usedApprovals }: GuardMemory): Pick<GuardMemory, 'usedApproval' | 'usedApprovals'> => ({
  ...(usedApproval !== undefined && { usedApproval }),
  ...(usedApprovals && { usedApprovals }),
})

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
