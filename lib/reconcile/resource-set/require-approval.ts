import { type PlannedChange, type PlannedChanges, planChanges } from '../../clusters/apply/planned-changes.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { inventoryDifference, inventoryEntry } from '../../foundations/rules/inventory.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import { type Clearance, clearChange } from '../approvals/clear-change.ts'
import type { Restraint } from '../windows/restraint.ts'
import { applyRules, fieldManager } from './apply-rules.ts'
import type { Context } from './context.ts'
import { applicable } from './prepare.ts'
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
    plan: () => orRunFailure(run, () => planSteps(run)),
    failure: (reason: string, message: string) => runFailure(run, message, { reason }),
  }
  return clearChange(change, restraint, context)
}

/** What all steps would change. An object of a later step that the cluster refuses may only be possible once the steps before it are applied. */
const planSteps = async (run: ResourceSetRun): Promise<PlannedChanges> => {
  const { applier: set, cluster, clock, pass } = run
  const options = { ...applyRules(run), clock, signal: pass.signal }
  const steps = run.steps.map(({ objects }) => applicable(objects))
  const known = inventoryOf(set)
  const planned = await Promise.all(
    steps.map(async (objects, index): Promise<PlannedChanges> => {
      const step = await planChanges(cluster, objects, { ...options, inventory: known, prune: false })
      if (index === 0) return step
      const refused = new Set(step.failures.map(({ ref }) => refKey(ref)))
      const later = objects.filter(object => refused.has(refKey(refOf(object)))).map(afterEarlierSteps)
      return { ...step, changes: [...step.changes, ...later], failures: [] }
    }),
  )
  const stale = inventoryDifference(known, steps.flat().map(inventoryEntry))
  const deleted = await planChanges(cluster, [], { ...options, inventory: stale, prune: true })
  return {
    changes: [...planned, deleted].flatMap(({ changes }) => changes),
    unchanged: planned.reduce((sum, { unchanged }) => sum + unchanged, 0),
    failures: planned.flatMap(({ failures }) => failures),
  }
}

const afterEarlierSteps = (desired: KubernetesObject): PlannedChange => ({
  ...{ ref: refOf(desired), apiVersion: desired.apiVersion, desired },
  ...{ action: 'unknown', waitsFor: 'earlier steps' },
})
