/** Which decisions of users count, and which units need them. Pure; times are in milliseconds since the epoch. */
import {
  type Approval,
  type ApprovalSubject,
  approvalAnnotation,
  authorMayApproveAnnotation,
  minApprovalsAnnotation,
  planExpiryAnnotation,
} from '../kinds/approval.ts'
import { parseDuration } from '../kinds/duration.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { isSameJson } from '../kinds/schema/same-json.ts'

// ---- which units need approval ----

/** Required: every change. OnDelete: changes that delete or recreate objects. OutsideWindow: changes for which windows would make the unit wait. */
export const approvalModes = ['Required', 'OnDelete', 'OutsideWindow'] as const
export type ApprovalMode = (typeof approvalModes)[number]

export interface ApprovalPolicy {
  readonly modes: ReadonlySet<ApprovalMode>
  readonly count: number
  readonly authorMayApprove: boolean
  readonly expiryMs: number
  /** The objects with the annotation, for messages: `Namespace apps`. */
  readonly requiredBy: string
}

export const defaultExpiryMs = 3 * 24 * 60 * 60_000

/** The strictest of what objects require; undefined if none does. A value that is not known counts as the strictest. */
export const approvalPolicyOf = (
  objects: readonly { readonly owner: string; readonly object: KubernetesObject }[],
): ApprovalPolicy | undefined => {
  const found = objects
    .map(({ owner, object }) => ({ owner, annotations: object.metadata.annotations ?? {} }))
    .filter(({ annotations }) => annotations[approvalAnnotation] !== undefined)
  if (found.length === 0) return undefined
  const all = found.map(({ annotations }) => annotations)
  return {
    modes: new Set(all.map(annotations => modeOf(annotations[approvalAnnotation]!))),
    count: Math.max(...all.map(annotations => countOf(annotations[minApprovalsAnnotation]))),
    authorMayApprove: all.every(annotations => annotations[authorMayApproveAnnotation] === 'true'),
    expiryMs: Math.min(...all.map(annotations => expiryOf(annotations[planExpiryAnnotation]))),
    requiredBy: found.map(({ owner }) => owner).join(' and '),
  }
}

/** What two of them need together. */
export const bothPolicies = (one: ApprovalPolicy, other: ApprovalPolicy): ApprovalPolicy => ({
  modes: new Set([...one.modes, ...other.modes]),
  count: Math.max(one.count, other.count),
  authorMayApprove: one.authorMayApprove && other.authorMayApprove,
  expiryMs: Math.min(one.expiryMs, other.expiryMs),
  requiredBy: `${one.requiredBy} and ${other.requiredBy}`,
})

const modeOf = (text: string): ApprovalMode => approvalModes.find(mode => mode === text) ?? 'Required'

/** A number that can't be read is the highest that can be required. */
const countOf = (text = '1'): number => (/^[1-9]\d?$/.test(text) ? Number(text) : 99)

const expiryOf = (text: string | undefined): number => {
  const ms = text === undefined ? undefined : parseDuration(text)
  return ms !== undefined && ms > 0 ? ms : defaultExpiryMs
}

// ---- which decisions count ----

/** What must be approved, and by whom. */
export interface ApprovalNeeds {
  readonly subject: ApprovalSubject
  readonly digest: string
  readonly count: number
  /** Who has made the change, as far as is known. */
  readonly author?: string | undefined
  readonly authorMayApprove: boolean
  /** Users who have approved it together with others. */
  readonly alsoBy?: readonly string[] | undefined
}

export type ApprovalState =
  | { readonly state: 'Waiting'; readonly approvedBy: readonly string[]; readonly missing: number }
  | { readonly state: 'Approved'; readonly approvedBy: readonly string[] }
  | { readonly state: 'Rejected'; readonly rejectedBy: string; readonly comment?: string }

/**
 * The state of what must be approved. A decision counts if it is of exactly this subject and digest, has not expired, and was signed by the
 * API server; of each user the last one. One rejection is enough.
 */
export const approvalState = (
  approvals: readonly Approval[],
  { subject, digest, count, author, authorMayApprove, alsoBy = [] }: ApprovalNeeds,
  now: number,
): ApprovalState => {
  const counting = approvals
    .filter(({ spec }) => spec.approver !== undefined && spec.digest === digest && isSameJson(spec.subject, subject))
    .filter(({ spec }) => spec.expiresAt === undefined || Date.parse(spec.expiresAt) > now)
    .toSorted((a, b) => decidedAt(a) - decidedAt(b) || rejects(a) - rejects(b))
  const last = new Map(counting.map(({ spec }) => [spec.approver!, spec]))
  const rejection = last.values().find(({ decision }) => decision === 'Rejected')
  if (rejection)
    return {
      state: 'Rejected',
      rejectedBy: rejection.approver!,
      ...(rejection.comment !== undefined && { comment: rejection.comment }),
    }
  const approvedBy = [...new Set([...alsoBy, ...last.keys()])].filter(
    user => authorMayApprove || !isSameUser(user, author),
  )
  const missing = count - approvedBy.length
  return missing > 0 ? { state: 'Waiting', approvedBy, missing } : { state: 'Approved', approvedBy }
}

/** Within a second, a rejection counts as the later decision. */
const rejects = ({ spec }: Approval): number => Number(spec.decision === 'Rejected')

const decidedAt = ({ metadata }: Approval): number => Date.parse(metadata.creationTimestamp ?? '') || 0

/**
 * Whether a user of the hub is the author of a push. A forge knows users by other names than the hub, so parts are compared: `oidc:jane@example.com` and `Receiver apps/github for
 * jane` are the same.
 */
export const isSameUser = (user: string, author: string | undefined): boolean =>
  author !== undefined && namesOf(user).some(name => namesOf(author.replace(/^Receiver \S+ for /, '')).includes(name))

/** `Jane <jane@example.com>` is known by her address. */
const namesOf = (user: string): readonly string[] => {
  const whole = (/<([^>]+)>/.exec(user)?.[1] ?? user).toLowerCase()
  const bare = whole.split(/[:/]/).at(-1)!
  return [whole, bare, bare.split('@')[0]!].filter(name => name !== '')
}
