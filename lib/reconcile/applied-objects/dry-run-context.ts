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

/** Contexts of previews: what a pass would remember is no reason to end one, and is not remembered. */
export const previewContexts =
  <C extends UnitContext>({ units }: C, ofDryRun: (shared: SharedReads) => C): ((shared: SharedReads) => C) =>
  shared => ({ ...ofDryRun(shared), units: { ...units, write: async () => {} } })
