import { countsOf, listPlanned } from '../../clusters/apply/describe-planned.ts'
import { type Disclosure, fieldDifferences } from '../../clusters/apply/field-diff.ts'
import type { PlannedChange } from '../../clusters/apply/planned-changes.ts'
import type { Comparison } from '../../foundations/fleet/comparison.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'

/** What was compared, and with what. */
export interface ComparedBuild extends Pick<Comparison, 'revision'> {
  /** Unless it is what was applied last. */
  readonly desired?: Comparison['desired']
  /** What applying the build again would do. */
  readonly changes: readonly PlannedChange[]
  readonly unchanged: number
  /** Messages of the cluster. */
  readonly refused: readonly string[]
}

/** A comparison as people may see it. An object that only belongs to other managers, too, does not differ. `now` is in milliseconds since the epoch. */
export const comparisonOf = (
  { desired = 'AppliedLast', revision, changes: planned, unchanged, refused }: ComparedBuild,
  disclosure: Disclosure,
  now: number,
): Comparison => {
  const found = planned.filter(isDifferent)
  const { changes = [], moreChanges = 0 } = listPlanned(found, disclosure)
  return {
    comparedAt: timestamp(now),
    desired,
    revision,
    counts: countsOf({ changes: found, unchanged: unchanged + planned.length - found.length }),
    changes,
    moreChanges,
    refused: refused.map(disclosure.masked),
  }
}

const isDifferent = ({ action, states }: PlannedChange): boolean => {
  if (action !== 'configured' || !states) return true
  for (const _ of fieldDifferences(states.before, states.after)) return true
  return false
}
