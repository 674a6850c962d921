import { defaultExpiryMs } from '../../foundations/rules/approvals.ts'
import type { RequiredApproval } from '../windows/restraint.ts'
import type { SignatureDemand } from './signatures.ts'

/** What a change needs: where signatures are demanded, every change needs an approval. */
export const withSignatures: {
  (required: RequiredApproval | undefined, demand: SignatureDemand): RequiredApproval
  (required: RequiredApproval | undefined, demand: SignatureDemand | undefined): RequiredApproval | undefined
} = (required: RequiredApproval | undefined, demand: SignatureDemand | undefined) => {
  if (!demand) return required as RequiredApproval
  const { modes = new Set(['Required'] as const), count = 0, expiryMs = defaultExpiryMs, requiredBy } = required ?? {}
  return {
    ...{ authorMayApprove: true, ...required, of: 'Changes', modes, expiryMs },
    count: Math.max(count, demand.count),
    requiredBy: [...(requiredBy ? [requiredBy] : []), `the runner of Cluster ${demand.cluster}`].join(' and '),
    signatures: demand,
  }
}
