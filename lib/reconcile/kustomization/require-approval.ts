import { planChanges } from '../../clusters/apply/planned-changes.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { type Clearance, clearChange } from '../approvals/clear-change.ts'
import type { Restraint } from '../windows/restraint.ts'
import { applyRules, fieldManager } from './apply-manifests.ts'
import type { Manifests } from './build/build-manifests.ts'
import type { Locate } from './build/locate.ts'
import type { Context } from './context.ts'
import type { KustomizationRun } from './run.ts'
import { runFailure } from './run.ts'

interface Change {
  readonly manifests: Manifests
  readonly reference?: TargetReference | undefined
  /** Of the revision. */
  readonly author?: string | undefined
  readonly locate: Locate
}

/** Whether a pass may apply its build. */
export const requireApproval = (
  run: KustomizationRun,
  { manifests, reference, author, locate }: Change,
  restraint: Restraint,
  context: Context,
): Promise<Clearance<Kustomization>> => {
  const { applier: unit, pass, cluster, clock, digest, revision } = run
  const { signal } = pass
  const change = {
    ...{ unit, pass, cluster, reference, digest, author, revision: revision.revision },
    disclosure: { ...manifests.secrets, fieldManager },
    plan: () => {
      const { applied: inventory, ...rules } = applyRules(run, manifests, context.settings, locate)
      return planChanges(cluster, manifests.objects, { ...rules, inventory, prune: unit.spec.prune, clock, signal })
    },
    failure: (reason: string, message: string) => runFailure(run, reason, message),
  }
  return clearChange(change, restraint, context)
}
