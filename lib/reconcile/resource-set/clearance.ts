import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import type { Clearance } from '../approvals/clear-change.ts'
import { policiesOf } from '../policies/policies-of.ts'
import { wasApplied } from '../windows/applied-before.ts'
import type { planning as planningOfUnits } from '../windows/plan-proposed.ts'
import type { Restraint } from '../windows/restraint.ts'
import type { Context } from './context.ts'
import type { ResourceSetRun } from './run.ts'
import type { Target } from './target-cluster.ts'

/** Changes of ResourceSets can be planned. What waits for a window is not, and no Rollout proposes anything to one. */
export const planning: typeof planningOfUnits = {
  ofProposal: async outcome => outcome,
  ofHeld: async outcome => outcome,
}

/** Whether a pass may apply what is rendered. The code of plans is loaded with the first change that needs one: few sets have policies, or need approvals. */
export const clearanceOf = async (
  run: ResourceSetRun,
  reference: Target['reference'],
  restraint: Restraint,
  context: Context,
): Promise<Clearance<ResourceSet>> => {
  const isPlanned = restraint.preview !== undefined || context.signatures !== undefined
  if (!isPlanned && wasApplied(run.applier, run.digest, restraint)) return {}
  if (!isPlanned && !restraint.approval && (await policiesOf(run.applier, restraint, context.references)).length === 0)
    return {}
  const { requireApproval } = await import('./require-approval.ts')
  return requireApproval(run, reference, restraint, context)
}
