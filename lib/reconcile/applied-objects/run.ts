import type { Owner } from '../../clusters/apply/owner.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import type { InventoryEntry, Snapshot } from '../../foundations/kinds/applied.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { withAttempt } from '../../foundations/rules/history.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { SharedReferences } from './shared-references.ts'

/** An object of a kind that applies objects and keeps an inventory of them. */
export interface Applier extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly inventory?: { readonly entries: readonly InventoryEntry[] }
  }
}

/** A build and its target, known once the objects are built. */
export interface ApplierRun<T extends Applier> {
  readonly applier: T
  readonly pass: Pass<T>
  readonly clock: Clock
  readonly cluster: ClusterClient
  /** The owner of the objects there. */
  readonly owner: Owner
  /** For objects that Flux objects on the hub refer to; undefined if no target is inherited. */
  readonly shared?: SharedReferences | undefined
  /** Digest of the objects. */
  readonly digest: string
  /** Milliseconds since the epoch; before the pass if an earlier pass started the run. */
  readonly startedAt: number
}

/** The message of Ready until the pass has ended. */
export const inProgress = 'Reconciliation in progress'

/** The recorded inventory. */
export const inventoryOf = ({ status }: Applier): readonly InventoryEntry[] => status?.inventory?.entries ?? []

/** The history with a run that ends now; `status` is the reason of Ready. */
export const withRun = <T extends Applier>(
  history: readonly Snapshot[],
  { clock, digest, startedAt }: ApplierRun<T>,
  status: string,
  metadata: Readonly<Record<string, string>>,
): readonly Snapshot[] => {
  const endedAt = clock.now()
  return withAttempt(history, { digest, status, endedAt, durationMs: endedAt - startedAt, metadata })
}
