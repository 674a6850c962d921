import { type PlannedChange, type PlannedChanges, planChanges } from '../../clusters/apply/planned-changes.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { inventoryDifference, inventoryEntry } from '../../foundations/rules/inventory.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import { applyRules } from './apply-rules.ts'
import { applicable } from './prepare.ts'
import { failedJobs } from './recreate-failed-jobs.ts'
import type { ResourceSetRun } from './run.ts'

/** Rendered objects and where they would be applied. */
export interface StepsToPlan extends Pick<ResourceSetRun, 'applier' | 'cluster' | 'owner' | 'steps'> {
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * What all steps would change. An object of a later step that the cluster refuses may only be possible once the steps before it are applied.
 * Fails if a name is not a string, and as `planChanges` does.
 */
export const planSteps = async (toPlan: StepsToPlan): Promise<PlannedChanges> => {
  const { applier: set, cluster, clock, signal } = toPlan
  const options = { ...applyRules(toPlan), clock, signal }
  const steps = toPlan.steps.map(({ objects }) => applicable(objects))
  const known = inventoryOf(set)
  const planned = await Promise.all(
    steps.map(async (objects, index): Promise<PlannedChanges> => {
      const failed = await failedJobs(cluster, objects, signal)
      const replaced = new Set(failed.map(({ job }) => refKey(refOf(job))))
      const others = objects.filter(object => !replaced.has(refKey(refOf(object))))
      const planned = await planChanges(cluster, others, { ...options, inventory: known, prune: false })
      const step = { ...planned, changes: [...planned.changes, ...failed.map(replacement)] }
      if (index === 0) return step
      const refused = new Set(step.failures.map(({ ref }) => refKey(ref)))
      const later = objects.filter(object => refused.has(refKey(refOf(object)))).map(afterEarlierSteps)
      return { ...step, changes: [...step.changes, ...later], failures: [] }
    }),
  )
  const failures = planned.flatMap(step => step.failures)
  const stale = failures.length > 0 ? [] : inventoryDifference(known, steps.flat().map(inventoryEntry))
  const deleted = await planChanges(cluster, [], { ...options, inventory: stale, prune: true })
  return {
    changes: [...planned, deleted].flatMap(({ changes }) => changes),
    unchanged: planned.reduce((sum, { unchanged }) => sum + unchanged, 0),
    failures,
  }
}

/** A failed Job that a pass replaces, as its annotation wants. */
const replacement = ({ job, live }: Awaited<ReturnType<typeof failedJobs>>[number]): PlannedChange => ({
  ...{ ref: refOf(job), apiVersion: job.apiVersion, desired: job, action: 'recreated' },
  states: { before: live, after: { ...live, ...job } },
})

const afterEarlierSteps = (desired: KubernetesObject): PlannedChange => ({
  ...{ ref: refOf(desired), apiVersion: desired.apiVersion, desired },
  ...{ action: 'unknown', waitsFor: 'earlier steps' },
})
