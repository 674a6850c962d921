import type { PreviewedPlan } from '../../foundations/kinds/plan.ts'
import type { References } from '../../hub/references/references.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Outcome, Pass, Reconciler } from '../runtime/reconciler.ts'
import { confined } from './confinement.ts'
import { type Restraint, restraintOf } from './restraint.ts'
import type { RestrainedUnit } from './run-restrained.ts'
import { actingBy, partsOf } from './waiting.ts'

/** A unit can't be previewed; the message says why. */
export class NoPreview extends Error {}

/**
 * What a pass would change, by a pass that plans: with the unit's identity on its cluster, the limits there, its build and the policies. Windows hold it
 * back as little as a Rollout does that has not reached it.
 */
export const previewing =
  <T extends RestrainedUnit>(
    { references, clock }: { readonly references: References; readonly clock: Clock },
    reconcile: (unit: T, pass: Pass<T>, restraint: Restraint) => Promise<Outcome<T>>,
  ): NonNullable<Reconciler<T>['preview']> =>
  async (unit, pass) => {
    const restraint = await restraintOf(unit, references, clock.now())
    if (restraint.suspended) throw new NoPreview(restraint.suspended.why)
    let found: PreviewedPlan | undefined
    const outcome = await reconcile(
      actingBy(unit, restraint),
      confined(pass, partsOf({ clock }, unit), async () => restraint),
      {
        ...{ ...restraint, holds: {} },
        preview: plan => {
          found = plan
        },
      },
    )
    if (found) return found
    throw new NoPreview('message' in outcome ? outcome.message : 'it is not known yet what it would change')
  }
