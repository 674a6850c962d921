import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import {
  pinnedCondition,
  plannedCondition,
  type Rollout,
  rollout as rolloutKind,
} from '../../foundations/kinds/rollout.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import type { NewCondition } from '../../foundations/rules/conditions.ts'
import { matchesSelector } from '../../foundations/rules/match-labels.ts'
import { isSameRun, type Pin, pinnedBy, pinOf, proposalOf, runOfPin } from '../../foundations/rules/pin.ts'
import { hasOwnChart, isRolledOut, placedSources } from '../../foundations/rules/rolled-out.ts'
import { everyNamespace, type References } from '../../hub/references/references.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import { PinBroken, pinnedSource } from '../source-artifact/pinned-artifact.ts'
import type { Refetch } from '../source-artifact/read-artifact.ts'
import { sourcesOfRollout } from '../source-artifact/sources-of-rollout.ts'
import { approvalBy, proposalFor } from './plan-proposed.ts'
import type { RequiredApproval, Restraint } from './restraint.ts'
import type { RolloutsOfUnits } from './waiting.ts'

/**
 * Whether Rollouts decide which revision a unit takes. Costs nothing for a unit without a pin in a Namespace that names no Rollout; otherwise a read
 * of the run, or of each Rollout. `wake` has a Rollout pin a unit that is new to it.
 */
export const rolloutsOfUnits = (wake: Refetch): RolloutsOfUnits => ({
  restraining: async (unit, restraint, reads, pass) => {
    const found = await ruleOf(unit, restraint, reads)
    const proposal = await proposalFor(unit, restraint, reads)
    if (!('waitsFor' in found))
      return {
        noted: (outcome, continues) => withPin(outcome, found, continues),
        ...(found.approval && { approval: found.approval }),
        ...(proposal && { proposal }),
      }
    const { waitsFor, why } = found
    if (pass.dryRun) throw new WouldWrite('a Rollout has to pin the unit')
    await wake(waitsFor)
    return { hold: { reason: 'WaitsForRollout', why }, ...(proposal && { proposal }) }
  },
})

/** The condition of a pinned unit, null for others, and what is added to the message of Ready, so that `flux get` shows it. */
interface PinNote {
  readonly condition: NewCondition | null
  readonly pin?: Pin
  /** What the revision needs before it is applied. */
  readonly approval?: RequiredApproval
}

const free: PinNote = { condition: null }

const ruleOf = async (
  unit: KubernetesObject,
  restraint: Restraint,
  references: References,
): Promise<PinNote | { readonly waitsFor: ObjectRef; readonly why: string }> => {
  if (undoOf(unit)) return free // it keeps what it has
  const pin = pinOf(unit)
  if (pin) {
    const found = await pinnedSource(unit, references).catch(error => {
      if (error instanceof PinBroken) return 'broken' as const
      throw error
    })
    if (found === 'broken') return free // the pass fails where it resolves the source
    if (found) {
      const note = { condition: pinnedBy(found.pin, found.source, found.run), pin }
      return isSameRun(pin, proposalOf(unit)) ? { ...note, approval: approvalBy(found.run, pin, restraint) } : note
    }
  }
  for (const place of restraint.rollouts ?? []) {
    const found = await references.anywhere<Rollout>(unit, rolloutKind, place, everyNamespace)
    if (!found || found.metadata.deletionTimestamp) continue
    const sources = hasOwnChart(unit) ? await sourcesOfRollout(found, references) : placedSources(found)
    if (!isRolledOut(unit, found, sources, matchesSelector(found.spec.units?.selector))) continue
    const { namespace, name } = place
    const why = `Rollout ${namespace}/${name} has not started it`
    const other = pin && `${runOfPin(pin)} has another chart or source, and ${why} in a run that has its own`
    return { waitsFor: { group: rolloutKind.group, kind: rolloutKind.kind, ...place }, why: other ?? why }
  }
  return free
}

/** `continues`: when what the pass has continued began. What is older than the pin says nothing about it: the next pass does. */
const withPin = <T extends KubernetesObject>(
  outcome: Outcome<T>,
  { condition, pin }: PinNote,
  continues: number | undefined,
): Outcome<T> => {
  const isOlder = pin !== undefined && continues !== undefined && continues < pin.since
  const pinned: Outcome<T>['conditions'] = isOlder ? {} : { [pinnedCondition]: condition }
  const conditions = { ...pinned, [plannedCondition]: null, ...outcome.conditions }
  const next = isOlder && (outcome.type === 'done' || outcome.type === 'failed') && { afterMs: 0 }
  if (outcome.type !== 'done' || pin === undefined) return { ...outcome, conditions, ...next }
  const note = `, held by ${runOfPin(pin)}`
  const message = outcome.message.endsWith(note) ? outcome.message : `${outcome.message}${note}`
  return { ...outcome, conditions, message, ...next }
}
