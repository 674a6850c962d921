import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { type Clearance, clearChange } from '../approvals/clear-change.ts'
import type { Restraint } from '../windows/restraint.ts'
import { fieldManager } from './apply-rules.ts'
import type { Context } from './context.ts'
import { planSteps } from './plan-steps.ts'
import { orRunFailure, type ResourceSetRun, runFailure, secretsOf } from './run.ts'

/** Whether a pass may apply what is rendered: all steps together, as a step that has been applied is not taken back. */
export const requireApproval = (
  run: ResourceSetRun,
  reference: TargetReference | undefined,
  restraint: Restraint,
  context: Context,
): Promise<Clearance<ResourceSet>> => {
  const { applier: unit, pass, cluster, digest } = run
  const change = {
    ...{ unit, pass, cluster, reference, digest, revision: digest },
    disclosure: { ...secretsOf(run), fieldManager },
    plan: () => orRunFailure(run, () => planSteps({ ...run, signal: pass.signal })),
    failure: (reason: string, message: string) => runFailure(run, message, { reason }),
  }
  return clearChange(change, restraint, context)
}
