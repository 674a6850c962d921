/** An approval that its approver has signed: an in-toto statement about what a plan shows, in a DSSE envelope. */
import type { Approval } from '../kinds/approval.ts'
import { type ObjectRef, refKey } from '../kinds/object.ts'
import { type Plan, unitRefOf } from '../kinds/plan.ts'
import { canonicalJson } from './canonical-json.ts'
import { inToto, signedBytesOf } from './dsse.ts'
import { type Subject, subject } from './run-statement.ts'
import { sha256Digest } from './sha256.ts'

const approvalPredicateType = 'https://keelson.dev/approval/v1'

type Envelope = NonNullable<Approval['spec']['signature']>

interface ApprovalStatement {
  readonly _type: 'https://in-toto.io/Statement/v1'
  readonly subject: readonly Subject[]
  readonly predicateType: typeof approvalPredicateType
  readonly predicate: {
    /** The runner's, as `NAMESPACE/NAME`. */
    readonly cluster: string
    readonly unit: ObjectRef
    readonly signedAt: string
  }
}

/**
 * The digest of what a plan shows: its unit, its changes, their number, and the plan's own digest, which names the build and the live values. What only the hub
 * knows is not in it: names, revision, author, phase.
 */
export const digestOfPlan = (plan: Plan): string => {
  const { spec, changes = [], moreChanges = 0 } = plan
  const { digest, counts } = spec
  return sha256Digest(canonicalJson({ unit: unitRefOf(plan), digest, counts, changes, moreChanges }))
}

/** Makes the signature of a statement's bytes. */
export interface Signer {
  readonly keyId: string
  sign(bytes: Uint8Array): Uint8Array
}

/** Signs the approval of a plan for the runner of a Cluster. `now` is in milliseconds since the epoch. */
export const signApproval = (plan: Plan, cluster: string, { keyId, sign }: Signer, now: number): Envelope => {
  const statement: ApprovalStatement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [subject('plan', digestOfPlan(plan))],
    predicateType: approvalPredicateType,
    predicate: { cluster, unit: unitRefOf(plan), signedAt: new Date(now).toISOString() },
  }
  const payload = Buffer.from(JSON.stringify(statement))
  const sig = Buffer.from(sign(signedBytesOf({ payload, payloadType: inToto }))).toString('base64')
  return { payloadType: inToto, payload: payload.toString('base64'), signatures: [{ keyid: keyId, sig }] }
}

/** A key that may sign approvals. */
export interface ApprovalKey {
  readonly id: string
  hasSigned(content: Uint8Array, signature: Uint8Array): boolean
}

export type SignedApproval =
  | { readonly keyId: string; readonly signedAt: number }
  /** Why it does not count, after its subject: `is not signed`. */
  | { readonly reason: string }

/** How long a signature counts, in milliseconds. */
const signatureLifetimeMs = 3 * 24 * 60 * 60_000
/** How much the clock of who signs may be ahead. */
const maxAheadMs = 5 * 60_000

/** By which key, and when, the approval of exactly this plan was signed for the runner of a Cluster. */
export const verifyApproval = (
  envelope: Envelope | undefined,
  { plan, cluster, keys }: { readonly plan: Plan; readonly cluster: string; readonly keys: readonly ApprovalKey[] },
  now: number,
): SignedApproval => {
  if (!envelope) return { reason: 'is not signed' }
  const payload = Buffer.from(envelope.payload, 'base64')
  const bytes = signedBytesOf({ payload, payloadType: envelope.payloadType })
  const signatures = envelope.signatures.map(({ sig }) => Buffer.from(sig, 'base64'))
  const key = keys.find(({ hasSigned }) => signatures.some(signature => hasSigned(bytes, signature)))
  if (!key) return { reason: 'is not signed by a key of the runner' }
  const statement = envelope.payloadType === inToto ? (JSON.parse(payload.toString()) as ApprovalStatement) : undefined
  if (statement?.predicateType !== approvalPredicateType) return { reason: 'is a signature of something else' }
  const { subject, predicate } = statement
  if (predicate.cluster !== cluster) return { reason: `is signed for Cluster ${predicate.cluster}` }
  if (refKey(predicate.unit) !== refKey(unitRefOf(plan))) return { reason: 'is signed for another unit' }
  const digest = `sha256:${subject[0]?.digest.sha256}`
  if (subject.length !== 1 || digest !== digestOfPlan(plan)) return { reason: 'is signed for another change' }
  const signedAt = Date.parse(predicate.signedAt)
  if (!(signedAt <= now + maxAheadMs)) return { reason: `is signed at ${predicate.signedAt}, which is not past yet` }
  if (signedAt + signatureLifetimeMs <= now) return { reason: 'was signed more than three days ago' }
  return { keyId: key.id, signedAt }
}
