import { observedStorage } from '../../clusters/helm-release/observed-storage.ts'
import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import { dryRunMemory } from '../runtime/dry-run-memory.ts'
import type { SharedReads } from '../runtime/reconciler.ts'
import type { Context } from './context.ts'

/** Maximum size of stored releases that dry runs cache, in characters. */
const maxRemembered = 32 * 1024 * 1024

/** Contexts of dry runs: they share reads, cache stored releases across visits, and write nothing. */
export const dryRunContexts = (context: Context): ((shared: SharedReads) => Context) => {
  const releases = new RecentlyUsed<StoredRelease>(maxRemembered)
  const units = dryRunMemory(context.units)
  return shared => ({
    ...context,
    units,
    references: shared.references(context.references),
    refetch: async () => {
      throw new WouldWrite('the artifact is lost')
    },
    storageOf: (cluster, namespace, signal) => observedStorage(cluster, namespace, releases, { signal }),
  })
}
