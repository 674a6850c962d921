import { dryRunMemory, refuseToRemember as keep } from '../runtime/dry-run-memory.ts'
import type { SharedReads } from '../runtime/reconciler.ts'
import type { Context } from './context.ts'

/** Contexts of dry runs: they share reads, and store nothing in the hub. */
export const dryRunContexts = (context: Context): ((shared: SharedReads) => Context) => {
  const units = dryRunMemory(context.units)
  return shared => ({
    ...context,
    units,
    references: shared.references(context.references),
    unfinished: { ...context.unfinished, keep },
  })
}
