import { ClusterError } from '../clusters/client/client.ts'
import type { InventoryEntry } from '../foundations/kinds/applied.ts'
import { describeRef, type KubernetesObject, refOf } from '../foundations/kinds/object.ts'
import { inventoryEntry, inventoryUnion } from '../foundations/rules/inventory.ts'
import type { FoundOrphan } from './find-orphans.ts'
import type { HubAccess } from './hub-access.ts'

type Pruning = KubernetesObject & {
  readonly spec?: { readonly prune?: boolean }
  readonly status?: { readonly inventory?: { readonly entries: readonly InventoryEntry[] } }
}

/** Whether the unit that its labels name can take an orphan into its inventory, and would keep it there until it is pruned. */
export const isAdoptable = ({ reason, unit }: Pick<FoundOrphan, 'reason' | 'unit'>): boolean => {
  if (reason !== 'NotInInventory' || !unit) return false
  // The inventory of a HelmRelease is what its chart contains.
  return unit.kind === 'ResourceSet' || (unit.kind === 'Kustomization' && (unit as Pruning).spec?.prune === true)
}

/**
 * Adds orphans to the inventories of their units, in one write for each unit, which fails if the unit has changed since it was read. Reports a
 * line for each orphan; returns the failures, a line each.
 */
export const adoptAll = async (
  { cluster: hub, signal }: HubAccess,
  orphans: readonly FoundOrphan[],
  report: (line: string) => void,
): Promise<readonly string[]> => {
  const failures: string[] = []
  for (const [unit, adopted] of Map.groupBy(orphans, ({ unit }) => unit as Pruning)) {
    const ref = refOf(unit)
    const before = unit.status?.inventory?.entries ?? []
    const entries = inventoryUnion(
      before,
      adopted.map(({ object }) => inventoryEntry(object)),
    )
    const { resourceVersion } = unit.metadata
    const patch = { metadata: { resourceVersion }, status: { inventory: { entries } } }
    try {
      const options = { fieldManager: 'keelson', subresource: 'status', signal } as const
      await hub.patch(unit.apiVersion, ref, { type: 'merge', patch }, options)
      for (const { object } of adopted) report(`${describeRef(refOf(object))} adopted by ${describeRef(ref)}`)
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      failures.push(`${describeRef(ref)}: ${error.message}`)
    }
  }
  return failures
}
