import { protectedIn } from '../../clusters/apply/apply-error.ts'
import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { recordedChanges } from '../../clusters/apply/field-diff.ts'
import type { RenderedStep } from '../../engines/resource-set/render.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { intervalOf, timeoutOf } from '../../foundations/kinds/resource-set.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { inventoryEntry, inventoryUnion } from '../../foundations/rules/inventory.ts'
import { elapsedSince } from '../../foundations/rules/schedule.ts'
import { applyObjects, inventoryAfter, requireDefinitions } from '../applied-objects/apply-objects.ts'
import { inProgress, inventoryOf } from '../applied-objects/run.ts'
import { applyRules } from './apply-rules.ts'
import type { Context } from './context.ts'
import { changesEvent } from './events.ts'
import type { OngoingWait } from './ongoing-wait.ts'
import { applicable } from './prepare.ts'
import { recreateFailedJobs } from './recreate-failed-jobs.ts'
import { requireHealthy } from './require-healthy.ts'
import type { ResourceSetRun } from './run.ts'
import { fleeting, historyOf, orRunFailure, runFailure, secretsOf } from './run.ts'
import type { ResourceSetSettings } from './settings.ts'

export interface Applied {
  /** The inventory of all steps, once everything has succeeded. */
  readonly entries: readonly InventoryEntry[]
  /** The changes of the last step only: those of earlier steps have been reported. */
  readonly changes: ChangeSet
  /** Whether the hub has copies of all objects that Flux objects on the hub refer to. */
  readonly isShared: boolean
}

/**
 * Applies the steps in order; each must be healthy before the next one starts. Records objects in the inventory before it
 * applies them. Halts if objects can't be applied, or are not healthy yet.
 */
export const applySteps = async (
  run: ResourceSetRun,
  ongoing: OngoingWait | undefined,
  context: Pick<Context, 'unfinished'>,
): Promise<Applied> => {
  const { steps } = run
  let entries: readonly InventoryEntry[] = []
  let isShared = true
  for (const [index, step] of steps.entries()) {
    const { changes, ...applied } = await applyStep(run, step, index, entries, ongoing)
    isShared &&= applied.isShared
    entries = inventoryUnion(entries, inventoryAfter(changes))
    if (index === steps.length - 1) return { entries, changes, isShared }
    const event = changesEvent(changes, [], step.name)
    if (event) run.pass.event(event)
    await requireHealthy(run, step, changes, ongoing, context)
  }
  return { entries, changes: [], isShared }
}

const applyStep = async (
  run: ResourceSetRun,
  step: RenderedStep,
  index: number,
  applied: readonly InventoryEntry[],
  ongoing: OngoingWait | undefined,
): Promise<Omit<Applied, 'entries'>> => {
  const { applier: set, pass, cluster, clock } = run
  const objects = await orRunFailure(run, () => applicable(step.objects))
  const before = inventoryUnion(inventoryOf(set), applied)
  const toRecord = inventoryUnion(before, objects.map(inventoryEntry))
  await pass.progress(progressOf(run, step, index), {
    ready: inProgress,
    status: { inventory: { entries: toRecord } },
    ...(isSameJson(toRecord, inventoryOf(set)) && fleeting(pass)),
  })
  // A Job that fails during the wait ends the run; the next run recreates it.
  if (!ongoing) await orRunFailure(run, () => recreateFailedJobs(cluster, objects, clock, pass.signal))
  const note = (changes: ChangeSet): void => pass.note({ changes: recordedChanges(changes, secretsOf(run)) })
  const report = (changes: ChangeSet): void => {
    const event = changesEvent(changes, [], set.spec.steps ? step.name : undefined)
    if (event) pass.event(event)
  }
  const { signal } = pass
  const isShared = await orRunFailure(
    run,
    async () => run.shared?.ofBuild(objects, { signal, isDryRun: pass.dryRun !== undefined }) ?? true,
  )
  const { changes, waitingFor } = await applyObjects(run, objects, {
    ...applyRules(run),
    applied: before,
    withStates: true,
    refused: (error, status) => {
      note(error.changes)
      report(error.changes)
      const reason = protectedIn(error)
      return runFailure(run, inStep(step, error.message), { status, cause: error, ...(reason && { reason }) })
    },
  })
  note(changes)
  await orRunFailure(run, () => run.shared?.ofChanges(objects, changes, { signal }))
  if (waitingFor.length > 0) report(changes)
  requireDefinitions(run, waitingFor, timeoutOf(set), message => runFailure(run, inStep(step, message)))
  return { changes, isShared }
}

const progressOf = ({ steps, applier: set }: ResourceSetRun, { name }: RenderedStep, index: number): string =>
  set.spec.steps ? `Applying step ${index + 1}/${steps.length} "${name}"` : inProgress

const inStep = ({ name }: RenderedStep, message: string): string =>
  name === undefined ? message : `step "${name}": ${message}`

/** Missing objects may be created on the cluster at any time: the delay until the next check is that of dependencies at first, and grows like back-off. */
export const untilNextShare = (
  { applier: set, clock, digest }: ResourceSetRun,
  { requeueDependencyMs }: Pick<ResourceSetSettings, 'requeueDependencyMs'>,
): number => {
  const since = historyOf(set).find(run => run.digest === digest)?.firstReconciled
  const missingMs = since ? elapsedSince(Date.parse(since), clock.now()) : 0
  return Math.min(intervalOf(set), Math.max(requeueDependencyMs, missingMs))
}
