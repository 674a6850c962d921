import { dryRunContexts as unitContexts } from '../applied-objects/dry-run-context.ts'
import { refuseToRemember } from '../runtime/dry-run-memory.ts'
import type { SharedReads } from '../runtime/reconciler.ts'
import type { Context } from './context.ts'

/** Contexts of dry runs: they share reads, and store nothing in the hub. */
export const dryRunContexts = (context: Context): ((shared: SharedReads) => Context) => {
  const ofUnit = unitContexts(context)
  return shared => ({ ...ofUnit(shared), terminations: { ...context.terminations, keep: refuseToRemember } })
}
