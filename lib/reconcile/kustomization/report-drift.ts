import { ApplyError } from '../../clusters/apply/apply-error.ts'
import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { type RecordedChange, recordedChanges } from '../../clusters/apply/field-diff.ts'
import { findDrift } from '../../clusters/apply/find-drift.ts'
import { driftAnnotation, driftedCondition } from '../../foundations/kinds/applied.ts'
import { intervalOf, isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { describeRef } from '../../foundations/kinds/object.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import { isOfRun, wasApplied } from '../windows/applied-before.ts'
import type { Restraint } from '../windows/restraint.ts'
import { applyRules, describeRefusal, fieldManager } from './apply-manifests.ts'
import type { Manifests } from './build/build-manifests.ts'
import type { Locate } from './build/locate.ts'
import { failure } from './failure.ts'
import type { KustomizationRun } from './run.ts'
import type { KustomizationSettings } from './settings.ts'
import { reason as succeeded } from './succeed.ts'

const reason = 'DriftDetected'

/** What the comparison of a Kustomization that only reports drift came to. */
export type Compared = { readonly drifted: Outcome<Kustomization> } | { readonly changes: ChangeSet }

/**
 * Compares the cluster with what a Kustomization has applied, if it only reports drift: such a pass writes no object, even if one changes after it was
 * compared. Undefined if its build or spec is new, which is applied in full. A condition lists what differs, by whom and since when. An Event and a Run
 * report each change of that; the condition Ready says how the last run ended.
 */
export const reportDrift = async (
  run: KustomizationRun,
  manifests: Manifests,
  settings: KustomizationSettings,
  locate: Locate,
  restraint: Restraint,
): Promise<Compared | undefined> => {
  const { applier: kustomization, pass, digest } = run
  if (kustomization.metadata.annotations?.[driftAnnotation] !== 'report') return undefined
  if (!wasApplied(kustomization, digest, restraint)) return undefined
  pass.note({ phase: 'Apply' })
  const changes = await compared(run, manifests, settings, locate)
  const drift = recordedChanges(changes, { ...manifests.secrets, fieldManager }).filter(
    ({ action, diff }) => action === 'drifted' && diff?.fields.length !== 0,
  )
  if (drift.length === 0) {
    const same = changes.map(({ states: _, ...change }) =>
      change.action === 'drifted' ? { ...change, action: 'unchanged' as const } : change,
    )
    pass.note({ changes: same })
    return { changes: same }
  }
  const message = describeDrift(drift)
  const isNews = conditionOf(kustomization.status?.conditions, driftedCondition)?.message !== message
  if (isNews) pass.event({ severity: 'error', reason, message })
  if (isNews || isReconcileRequested(kustomization)) pass.note({ changes: drift })
  const conditions = { [driftedCondition]: { status: 'True', reason, message } } as const
  const isReadyAgain = !isOfRun(conditionOf(kustomization.status?.conditions, 'Ready'))
  return { drifted: isReadyAgain ? { ...asOfLastRun(run), conditions } : { type: 'held', reason, message, conditions } }
}

/** Ends a pass after others that have failed without a run: Ready was about that, and is about the last run again. */
const asOfLastRun = ({ applier, revision: { revision } }: KustomizationRun): Outcome<Kustomization> => {
  const ended = applier.status?.history?.[0]?.lastReconciledStatus ?? succeeded
  if (ended === succeeded) return { type: 'done', reason: succeeded, message: `Applied revision: ${revision}` }
  const message = `the last run of revision ${revision} ended with ${ended}`
  return { type: 'failed', reason: ended, message, afterMs: intervalOf(applier), event: null }
}

/**
 * Halts as an apply would if the cluster refuses an object or does not respond. That is no run for the history: the last one has still applied all of
 * this build, and the next pass compares again.
 */
const compared = async (
  run: KustomizationRun,
  manifests: Manifests,
  settings: KustomizationSettings,
  locate: Locate,
): Promise<ChangeSet> => {
  const { pass, cluster, clock } = run
  const { applied, ...rules } = applyRules(run, manifests, settings, locate)
  const recorded = new Set(applied.map(({ id }) => id))
  try {
    return await findDrift(cluster, manifests.objects, { ...rules, recorded, clock, signal: pass.signal })
  } catch (error) {
    pass.signal.throwIfAborted()
    if (!(error instanceof ApplyError)) throw error
    const { reason, message } = await describeRefusal(run, manifests, error)
    throw failure(reason, message, { cause: error })
  }
}

/** Objects and fields that a message lists at most: a status goes to all who watch it. */
const bounds = { objects: 20, fields: 5 }

const describeDrift = (drift: readonly RecordedChange[]): string => {
  const lines = drift
    .slice(0, bounds.objects)
    .map(({ ref, diff }) => `${describeRef(ref)} ${diff ? fieldsOf(diff) : 'is missing'}`)
  const more = drift.length > bounds.objects ? [`and ${drift.length - bounds.objects} more objects`] : []
  const objects = drift.length === 1 ? '1 object differs' : `${drift.length} objects differ`
  return [`${objects} from what was applied, which is only reported:`, ...lines, ...more].join('\n')
}

const fieldsOf = ({ fields, more }: NonNullable<RecordedChange['diff']>): string => {
  const named = fields
    .slice(0, bounds.fields)
    .map(
      ({ path, manager, changedAt }) => `${path}${manager ? ` (${manager}${changedAt ? `, ${changedAt}` : ''})` : ''}`,
    )
  const left = fields.length - named.length + more
  return `has other ${[...named, ...(left > 0 ? [`${left} more fields`] : [])].join(', ')}`
}
