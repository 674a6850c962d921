import { isDeepStrictEqual } from 'node:util'
import { applyAll } from '../../clusters/apply/apply-all.ts'
import { ApplyError } from '../../clusters/apply/apply-error.ts'
import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import type { Health } from '../../clusters/apply/health.ts'
import { describeHealth } from '../../clusters/apply/health.ts'
import type { RenderedStep } from '../../engines/resource-set/render.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { operatorAnnotation } from '../../foundations/kinds/flux-operator.ts'
import { versionOf } from '../../foundations/kinds/object.ts'
import { timeoutOf } from '../../foundations/kinds/resource-set.ts'
import { inventoryEntry, inventoryId, inventoryUnion } from '../../foundations/rules/inventory.ts'
import { elapsedSince } from '../../foundations/rules/schedule.ts'
import { Halt } from '../runtime/halt.ts'
import { changesEvent } from './events.ts'
import type { Ongoing } from './ongoing.ts'
import { ownerOf } from './owner.ts'
import { applicable } from './prepare.ts'
import { recreateFailedJobs } from './recreate-failed-jobs.ts'
import { requireHealthy } from './require-healthy.ts'
import type { Run } from './run.ts'
import { inProgress, inventoryOf, orRunFailure, runFailure } from './run.ts'

/** How soon to look again at definitions that are not ready yet, in milliseconds. */
const definitionPollMs = 2_000

export interface Applied {
  /** Of all steps: what is in the inventory when all has gone well. */
  readonly entries: readonly InventoryEntry[]
  /** Of the last step only: those of the others have been told. */
  readonly changes: ChangeSet
}

/**
 * Applies the steps one after another; each must be healthy before the next one begins. What is about to be applied is
 * recorded before it is. Halts with what could not be applied, and with what is not healthy yet.
 */
export const applySteps = async (run: Run, ongoing: Ongoing | undefined): Promise<Applied> => {
  const { steps } = run
  let entries: readonly InventoryEntry[] = []
  for (const [index, step] of steps.entries()) {
    const changes = await applyStep(run, step, index, entries, ongoing)
    entries = inventoryUnion(entries, inventoryAfter(changes))
    if (index === steps.length - 1) return { entries, changes }
    const event = changesEvent(changes, [], step.name)
    if (event) run.pass.event(event)
    await requireHealthy(run, step, changes, ongoing)
  }
  return { entries, changes: [] }
}

/** What was applied, as it is recorded. Skipped objects count: they may have been applied before. */
const inventoryAfter = (changes: ChangeSet): readonly InventoryEntry[] =>
  changes.map(({ ref, apiVersion }) => ({ id: inventoryId(ref), v: versionOf(apiVersion) }))

const applyStep = async (
  run: Run,
  step: RenderedStep,
  index: number,
  applied: readonly InventoryEntry[],
  ongoing: Ongoing | undefined,
): Promise<ChangeSet> => {
  const { set, pass, cluster, clock } = run
  const objects = await orRunFailure(run, () => applicable(step.objects))
  const before = inventoryUnion(inventoryOf(set), applied)
  const toRecord = inventoryUnion(before, objects.map(inventoryEntry))
  await pass.progress(progressOf(run, step, index), {
    ready: inProgress,
    status: { inventory: { entries: toRecord } },
    fleeting: isDeepStrictEqual(toRecord, inventoryOf(set)),
  })
  // A Job that fails while it is waited for ends the run; the next one makes it anew.
  if (!ongoing) await orRunFailure(run, () => recreateFailedJobs(cluster, objects, clock, pass.signal))
  const { changes, waitingFor } = await applyAll(cluster, objects, {
    fieldManager: 'flux-operator',
    owner: ownerOf(set),
    recorded: new Set(before.map(({ id }) => id)),
    clock,
    force: operatorAnnotation(set, 'force')?.toLowerCase() === 'enabled',
    signal: pass.signal,
  }).catch(error => {
    pass.signal.throwIfAborted()
    throw error instanceof ApplyError ? applyFailure(run, error, step, before) : error
  })
  if (waitingFor.length > 0) throw notReady(run, waitingFor, changes, step)
  return changes
}

const progressOf = ({ steps, set }: Run, { name }: RenderedStep, index: number): string =>
  set.spec.steps ? `Applying step ${index + 1}/${steps.length} "${name}"` : inProgress

const inStep = ({ name }: RenderedStep, message: string): string =>
  name === undefined ? message : `step "${name}": ${message}`

/** What was written before the refusal stays recorded, and so does what may have been. */
const applyFailure = (run: Run, error: ApplyError, step: RenderedStep, before: readonly InventoryEntry[]) => {
  const event = changesEvent(error.changes, [], run.set.spec.steps ? step.name : undefined)
  if (event) run.pass.event(event)
  const mayBeThere = error.failures.some(({ written }) => written)
  const entries = inventoryUnion(before, inventoryAfter(error.changes))
  const inventory = entries.length > 0 ? { entries } : (run.set.status?.inventory ?? null)
  return runFailure(run, inStep(step, error.message), { status: mayBeThere ? {} : { inventory }, cause: error })
}

/** The rest is applied in a later pass; for as long as the timeout. */
const notReady = (run: Run, waitingFor: readonly Health[], changes: ChangeSet, step: RenderedStep) => {
  const event = changesEvent(changes, [], run.set.spec.steps ? step.name : undefined)
  if (event) run.pass.event(event)
  const ready = run.set.status?.conditions?.find(({ type }) => type === 'Ready')
  const since = ready?.status === 'Unknown' ? Date.parse(ready.lastTransitionTime) : run.clock.now()
  if (elapsedSince(since, run.clock.now()) < timeoutOf(run.set))
    return new Halt({ type: 'waiting', afterMs: definitionPollMs })
  return runFailure(run, inStep(step, `timeout waiting for: [${waitingFor.map(describeHealth).join(', ')}]`))
}
