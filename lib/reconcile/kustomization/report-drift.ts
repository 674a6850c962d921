import { ApplyError } from '../../clusters/apply/apply-error.ts'
import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { type RecordedChange, recordedChanges } from '../../clusters/apply/field-diff.ts'
import { findDrift } from '../../clusters/apply/find-drift.ts'
import { driftAnnotation, driftedCondition } from '../../foundations/kinds/applied.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { describeRef } from '../../foundations/kinds/object.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import { wasApplied } from '../windows/applied-before.ts'
import type { Restraint } from '../windows/restraint.ts'
import { applyRules, fieldManager } from './apply-manifests.ts'
import type { Manifests } from './build/build-manifests.ts'
import type { Locate } from './build/locate.ts'
import type { KustomizationRun } from './run.ts'
import type { KustomizationSettings } from './settings.ts'

const reason = 'DriftDetected'

/**
 * The outcome of a pass over a Kustomization that only reports drift, if there is any; undefined if the pass continues: its build or spec is new and is
 * applied in full, or nothing has drifted. The condition lists what differs, by whom and since when. An Event and a Run report each change of that.
 * The condition Ready stays as it is.
 */
export const reportedDrift = async (
  run: KustomizationRun,
  manifests: Manifests,
  settings: KustomizationSettings,
  locate: Locate,
  restraint: Restraint,
): Promise<Outcome<Kustomization> | undefined> => {
  const { applier: kustomization, pass, digest } = run
  if (kustomization.metadata.annotations?.[driftAnnotation] !== 'report') return undefined
  if (!wasApplied(kustomization, digest, restraint)) return undefined
  const found = await driftOf(run, manifests, settings, locate)
  // An object that only belongs to other managers, too, has not drifted.
  const drift = recordedChanges(found, { ...manifests.secrets, fieldManager }).filter(
    ({ diff }) => diff?.fields.length !== 0,
  )
  if (drift.length === 0) return undefined
  const message = describeDrift(drift)
  const isNews = conditionOf(kustomization.status?.conditions, driftedCondition)?.message !== message
  if (isNews) pass.event({ severity: 'error', reason, message })
  if (isNews || isReconcileRequested(kustomization)) pass.note({ changes: drift })
  return { type: 'held', reason, message, conditions: { [driftedCondition]: { status: 'True', reason, message } } }
}

/** What differs; nothing if the cluster refuses or does not respond: the apply that follows reports that. */
const driftOf = async (
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
    if (error instanceof ApplyError) return []
    throw error
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
