/** Approvals of a list of deletions that a unit holds back. Pure. */
import type { Approval, ApprovalSubject } from '../kinds/approval.ts'
import { isSameJson } from '../kinds/schema/same-json.ts'
import { type ApprovalPolicy, type ApprovalState, approvalState } from './approvals.ts'

/** What users have decided, and who must. */
export interface ListDecisions {
  /** All Approvals of the unit's namespace. */
  readonly approvals: readonly Approval[]
  /** The unit. */
  readonly subject: ApprovalSubject
  /** What the unit, its Namespace or its Cluster requires for changes; then only Approvals release a list. */
  readonly policy?: ApprovalPolicy | undefined
  /** Who has written the revision, as far as is known. */
  readonly author?: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

interface ListDecision {
  readonly state: ApprovalState
  /** UIDs of the Approvals that count no more once the list is released: those of this list, and those used before that still exist. */
  readonly using: readonly string[]
  /** Whether the annotation `keelson.dev/allow-prune` releases the list, too: not if nobody knows who has set it and that matters, nor after a rejection. */
  readonly isAnnotationEnough: boolean
}

/** What has been decided about the list with a digest. Each Approval counts once: not if its UID is in `used`. Without a policy, one user is enough, and may be the author. */
export const decisionAbout = (
  digest: string,
  used: readonly string[] = [],
  decisions?: ListDecisions,
): ListDecision => {
  if (!decisions)
    return { state: { state: 'Waiting', approvedBy: [], missing: 1 }, using: used, isAnnotationEnough: true }
  const { approvals, subject, policy, author, now } = decisions
  const { count = 1, authorMayApprove = true } = policy ?? {}
  const isUsed = (approval: Approval) => used.includes(uidOf(approval))
  const fresh = approvals.filter(approval => !isUsed(approval))
  const state = approvalState(fresh, { subject, digest, count, author, authorMayApprove }, now)
  const ofList = ({ spec }: Approval) => spec.digest === digest && isSameJson(spec.subject, subject)
  const using = approvals.filter(approval => isUsed(approval) || ofList(approval)).map(uidOf)
  return { state, using, isAnnotationEnough: !policy && state.state !== 'Rejected' }
}

const uidOf = ({ metadata }: Approval): string => metadata.uid ?? metadata.name
