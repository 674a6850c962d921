import { type Plan, plannedCounts } from '../../foundations/kinds/plan.ts'
import type { RequiredApproval } from '../windows/restraint.ts'

interface DecidedChange {
  readonly revision: string
  readonly required: RequiredApproval
}

/** Why a change waits. `ignored`: why approvals of it don't count. */
export const describeWaiting = (
  { revision, required: { requiredBy, signatures } }: DecidedChange,
  { spec, metadata }: Plan,
  missing: number,
  ignored: readonly string[] = [],
): string =>
  `revision ${revision} waits for ${missing === 1 ? 'an approval' : `${missing} approvals`} of plan ${metadata.name} ` +
  `(${plannedCounts(spec.counts) || 'no changes'}) until ${spec.expiresAt}, as ${requiredBy} requires` +
  (signatures ? `${ignored.map(why => `; ${why}`).join('')}; it needs a signature by a key of the runner` : '') +
  `; run: keelson ${signatures ? 'plans' : 'approve'} ${metadata.name} -n ${metadata.namespace}` +
  (signatures ? ', which prints the digest to sign' : '')

/** Who has rejected a change, and why. */
export const describeRejected = (
  { revision }: DecidedChange,
  { metadata }: Plan,
  { rejectedBy, comment }: { readonly rejectedBy: string; readonly comment?: string },
): string => `${rejectedBy} has rejected plan ${metadata.name} of revision ${revision}${comment ? `: ${comment}` : ''}`
