import { handOver } from '../../clusters/apply/hand-over.ts'
import { describePruneFailures } from '../../clusters/apply/prune.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { adoptedNames, type Kustomization, kustomization as kind } from '../../foundations/kinds/kustomization.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { inventoryUnion } from '../../foundations/rules/inventory.ts'
import type { ReachedTarget } from '../applied-objects/reach-target.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import { fieldManager } from './apply-manifests.ts'
import type { Context } from './context.ts'
import { failure } from './failure.ts'
import { neighboursOf } from './find-moves.ts'
import { ownerOf } from './owner.ts'

type AdoptionContext = Pick<Context, 'references' | 'legacies' | 'settings'>

/** The Kustomization that takes over the objects of a deleted one: it names that one, and applies to the same cluster. */
export const successorOf = async (
  deleted: Kustomization,
  { references, settings }: AdoptionContext,
): Promise<Kustomization | undefined> => {
  if (!settings.pruneGuard) return undefined
  const naming = await references.referrersOf<Kustomization>(refOf(deleted), kind)
  if (naming.length === 0) return undefined
  const isNeighbour = new Set((await neighboursOf(deleted, references)).map(({ metadata }) => metadata.uid))
  return naming.find(
    successor =>
      !successor.metadata.deletionTimestamp &&
      isNeighbour.has(successor.metadata.uid) &&
      adoptedNames(successor).includes(deleted.metadata.name),
  )
}

/**
 * Leaves all objects of a deleted Kustomization to its successor: first on record, then by their labels on the cluster. After a crash in between, the deletion
 * does both again. Halts if the cluster refuses.
 */
export const leaveTo = async (
  successor: Kustomization,
  deleted: Kustomization,
  { cluster, owner }: { readonly cluster: ClusterClient } & Pick<ReachedTarget, 'owner'>,
  { legacies }: AdoptionContext,
  signal: AbortSignal,
): Promise<void> => {
  const entries = inventoryOf(deleted)
  await legacies.leave(refOf(successor), entries)
  const to = { ...ownerOf(successor), namespace: owner.namespace }
  const failures = await handOver(cluster, entries, { from: owner, to, fieldManager, signal })
  if (failures.length > 0) throw failure('PruneFailed', describePruneFailures(failures))
}

/** What a Kustomization has applied, with what deleted ones have left to it. */
export interface Inherited {
  readonly applier: Kustomization
  /** Call it once that is in the stored inventory. */
  readonly accept?: () => Promise<void>
}

/**
 * The Kustomization with an inventory that also has what deleted ones have left to it, so that this is pruned or
 * applied like its own.
 */
export const withLegacy = async (
  applier: Kustomization,
  { legacies }: Pick<AdoptionContext, 'legacies'>,
): Promise<Inherited> => {
  if (adoptedNames(applier).length === 0) return { applier }
  const left: readonly InventoryEntry[] = await legacies.read(refOf(applier))
  if (left.length === 0) return { applier }
  const inventory = { entries: inventoryUnion(left, inventoryOf(applier)) }
  const accept = () => legacies.take(refOf(applier), left)
  return { applier: { ...applier, status: { ...applier.status, inventory } }, accept }
}
