import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { pinnedCondition, type Rollout, rollout as rolloutKind } from '../../foundations/kinds/rollout.ts'
import type { NewCondition } from '../../foundations/rules/conditions.ts'
import { matchesSelector } from '../../foundations/rules/match-labels.ts'
import { pinnedBy, pinOf, runOfPin } from '../../foundations/rules/pin.ts'
import { isRolledOut } from '../../foundations/rules/rolled-out.ts'
import { everyNamespace, type References } from '../../hub/references/references.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import { PinBroken, pinnedSource } from '../source-artifact/pinned-artifact.ts'
import type { Restraint } from './restraint.ts'

/** What a pass owes to a Rollout. */
export interface RolledOut {
  /** The Rollout that has to pin the unit first. */
  readonly waitsFor?: ObjectRef
  /** The condition of a pinned unit; null for others. */
  readonly condition: NewCondition | null
  /** Added to the message of Ready, so that `flux get` shows it. */
  readonly heldBy?: string
}

const free: RolledOut = { condition: null }

/**
 * Whether a Rollout decides which revision a unit takes. Costs nothing for a unit without a pin in a Namespace that names no Rollout; otherwise a
 * read of the run, or of each Rollout.
 */
export const rolledOut = async (
  unit: KubernetesObject,
  { rollouts = [] }: Restraint,
  references: References,
): Promise<RolledOut> => {
  const pin = pinOf(unit)
  if (pin) {
    const found = await pinnedSource(unit, references).catch(error => {
      if (error instanceof PinBroken) return 'broken' as const
      throw error
    })
    if (found === 'broken') return free // the pass fails where it resolves the source
    if (found) return { condition: pinnedBy(found.pin, found.source), heldBy: runOfPin(pin) }
  }
  for (const place of rollouts) {
    const found = await references.anywhere<Rollout>(unit, rolloutKind, place, everyNamespace)
    if (
      found &&
      !found.metadata.deletionTimestamp &&
      isRolledOut(unit, found, matchesSelector(found.spec.units?.selector))
    )
      return { condition: null, waitsFor: { group: rolloutKind.group, kind: rolloutKind.kind, ...place } }
  }
  return free
}

/** The outcome of a pass with what it says about the pin. */
export const withPin = <T extends KubernetesObject>(
  outcome: Outcome<T>,
  { condition, heldBy }: RolledOut,
): Outcome<T> => {
  const conditions = { [pinnedCondition]: condition, ...outcome.conditions }
  if (outcome.type !== 'done' || heldBy === undefined) return { ...outcome, conditions }
  const note = `, held by ${heldBy}`
  const message = outcome.message.endsWith(note) ? outcome.message : `${outcome.message}${note}`
  return { ...outcome, conditions, message }
}
