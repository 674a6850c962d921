import {
  blindNote,
  type HeadFinding,
  type HeadPlan,
  type OpenChange,
  type OpenField,
} from '../../foundations/fleet/head-plan.ts'
import { type PlanCounts, plannedActions } from '../../foundations/kinds/plan.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { badRequest } from '../store/api-errors.ts'

/**
 * What a runner has found out about the head of a pull request, for its cluster and with nothing that such a plan does not have. `checked` returns the counts if they
 * are those of a Plan. Fails with BadRequest if it is none. What of it may be public, the runner has decided: the hub can't build what it can't decrypt.
 */
export const acceptHead = async (
  given: Readonly<Record<string, unknown>>,
  cluster: TargetReference,
  of: 'head' | 'release',
  checked: (counts: PlanCounts) => Promise<PlanCounts>,
): Promise<HeadPlan> => {
  const { type, open, message } = given
  switch (type) {
    case 'untouched':
      return { type }
    case 'skipped':
      return { type, open: String(open), ...(message !== undefined && { message: String(message) }) }
    case 'failed':
      return { type, open: String(open), message: String(message) }
    case 'planned':
      return {
        ...{ type, cluster: { ...cluster }, counts: await checked(given.counts as PlanCounts) },
        changes: listOf<OpenChange>(given.changes, 'changes').map(acceptedChange),
        refused: listOf<string>(given.refused, 'refused').map(String),
        policies: listOf<HeadFinding>(given.policies, 'policies').map(acceptedFinding),
        ...(of === 'release' && given.note === blindNote && { note: blindNote }),
      }
    default:
      throw badRequest('the result must be untouched, planned, skipped or failed')
  }
}

const acceptedChange = (given: Partial<OpenChange>): OpenChange => ({
  action: plannedActions.find(known => known === given.action) ?? 'unknown',
  ...{ kind: String(given.kind), name: String(given.name) },
  ...(given.origin !== undefined && { origin: String(given.origin) }),
  fields: listOf<OpenField>(given.fields, 'fields').map(acceptedField),
  moreFields: Number(given.moreFields) || 0,
  ...(given.hasOthers === true && { hasOthers: true }),
})

const acceptedField = ({ path, before, after }: Partial<OpenField>): OpenField => ({
  path: String(path),
  ...(before !== undefined && { before: String(before) }),
  ...(after !== undefined && { after: String(after) }),
})

const acceptedFinding = ({ policy, action, message, isOpen }: Partial<HeadFinding>): HeadFinding => ({
  ...{ policy: String(policy), message: String(message), isOpen: isOpen === true },
  action: action === 'Deny' ? action : 'RequireApproval',
})

const listOf = <T>(value: unknown, name: string): readonly Partial<T>[] => {
  if (!Array.isArray(value)) throw badRequest(`${name} of the result must be a list`)
  return value.filter(one => one !== null && one !== undefined)
}
