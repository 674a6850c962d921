/** Signatures of approvals, which a runner may demand so that its hub can't approve anything by itself. Pure, but for the record of what was approved last. */
import type { Approval } from '../../foundations/kinds/approval.ts'
import { type KubernetesObject, refKey } from '../../foundations/kinds/object.ts'
import { type Plan, unitRefOf } from '../../foundations/kinds/plan.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { type ApprovalKey, digestOfPlan, verifyApproval } from '../../foundations/rules/approval-statement.ts'
import { canonicalJson } from '../../foundations/rules/canonical-json.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'

/** The plan of a unit that was approved last. */
export interface LastSigned {
  /** The newest of its signatures, in milliseconds since the epoch. */
  readonly signedAt: number
  /** See digestOfPlan. */
  readonly plan: string
}

/** What a runner demands, whatever its hub says. */
export interface SignatureDemand {
  /** The runner's, as `NAMESPACE/NAME`. */
  readonly cluster: string
  readonly keys: readonly ApprovalKey[]
  /** How many of the keys must sign, at least. */
  readonly count: number
  /** By kind, namespace and name of a unit: a unit that the hub deletes and makes again is still the same. */
  lastSigned(unit: string): LastSigned | undefined
  keepLastSigned(unit: string, last: LastSigned): Promise<void>
}

/** Decisions about a plan that count for a runner. */
export interface CountedApprovals {
  /** Rejections, and approvals with a signature. */
  readonly approvals: readonly Approval[]
  /** How many keys have signed these. */
  readonly keys: number
  /** Why others do not count. */
  readonly ignored: readonly string[]
  /** To keep once the plan is approved. */
  readonly last: LastSigned
}

/** The decisions about a plan that count: all rejections, and approvals that a key of the runner has signed for exactly what the plan shows. `now` is in milliseconds since the epoch. */
export const signedApprovals = (
  all: readonly Approval[],
  plan: Plan,
  { cluster, keys, lastSigned }: SignatureDemand,
  now: number,
): CountedApprovals => {
  const subject = { kind: 'Plan', name: plan.metadata.name }
  const about = all.filter(({ spec }) => spec.digest === plan.spec.digest && isSameJson(spec.subject, subject))
  const rejections = about.filter(({ spec }) => spec.decision === 'Rejected')
  const digest = digestOfPlan(plan)
  const last = lastSigned(refKey(unitRefOf(plan)))
  const approvals: Approval[] = []
  const signers = new Set<string>()
  const ignored: string[] = []
  let signedAt = 0
  for (const approval of about.filter(one => !rejections.includes(one))) {
    const verified = verifyApproval(approval.spec.signature, { plan, cluster, keys }, now)
    const ignore = (why: string) => ignored.push(`the approval of ${approval.spec.approver} ${why}`)
    if ('reason' in verified) ignore(verified.reason)
    else if (last && last.plan !== digest && verified.signedAt <= last.signedAt)
      ignore('was signed before that of a later change, which was applied')
    else {
      approvals.push(approval)
      signers.add(verified.keyId)
      signedAt = Math.max(signedAt, verified.signedAt)
    }
  }
  return { approvals: [...rejections, ...approvals], keys: signers.size, ignored, last: { signedAt, plan: digest } }
}

/** What was signed for a unit besides its build. */
export interface SignedFor {
  /** Digest of the spec. */
  readonly spec: string
  /** Inventory ids of the objects that may be deleted. */
  readonly deletions: readonly string[]
  /** ServiceAccount of a HelmRelease. */
  readonly account?: string
}

/** A hub that is taken over could change a spec and keep its generation. To suspend a unit, and to resume it, changes nothing of it. */
export const specDigest = ({ spec }: KubernetesObject & { readonly spec?: unknown }): string => {
  const { suspend: _, ...rest } = (spec ?? {}) as Readonly<Record<string, unknown>>
  return sha256Digest(canonicalJson(rest))
}
