import type { References } from '../../hub/references/references.ts'
import { dryRunMemory, refuseToRemember } from '../runtime/dry-run-memory.ts'
import type { SharedReads } from '../runtime/reconciler.ts'
import type { UnfinishedRuns } from '../runtime/unfinished-runs.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'

/** The parts of an applier's context that differ in dry runs. */
interface UnitContext {
  readonly references: References
  readonly units: UnitMemory
  readonly unfinished: UnfinishedRuns<unknown>
}

/** Contexts of dry runs: they share reads, and store nothing in the hub. */
export const dryRunContexts = <C extends UnitContext>(context: C): ((shared: SharedReads) => C) => {
  const units = dryRunMemory(context.units)
  return shared => ({
    ...context,
    units,
    references: shared.references(context.references),
    unfinished: { ...context.unfinished, keep: refuseToRemember },
  })
}
