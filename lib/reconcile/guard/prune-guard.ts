import { isDeepStrictEqual } from 'node:util'
import { deletionContents, isCarrier } from '../../clusters/apply/deletion-contents.ts'
import type { Owner } from '../../clusters/apply/owner.ts'
import { deletableOf } from '../../clusters/apply/prune.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { describeRef, type KubernetesObject } from '../../foundations/kinds/object.ts'
import type { NewCondition } from '../../foundations/rules/conditions.ts'
import { inventoryDifference, parseInventoryId } from '../../foundations/rules/inventory.ts'
import {
  approvedDigest,
  type GuardMemory,
  guardDeletions,
  type Held,
  isMassDeletion,
} from '../../foundations/rules/prune-guard.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'

/** On a unit: the digest of a list of deletions that may go, see `approvedDigest`. */
export const allowPruneAnnotation = 'keelson.dev/allow-prune'

/** Condition type and reason of a unit with deletions that wait. */
export const pruneGuarded = 'PruneGuarded'

export interface PruneRequest {
  readonly unit: KubernetesObject
  readonly owner: Owner
  readonly cluster: ClusterClient
  /** The inventory as it was before this pass recorded anything. */
  readonly recorded: readonly InventoryEntry[]
  /** What the build has. */
  readonly built: readonly InventoryEntry[]
  readonly signal: AbortSignal
}

/**
 * Decides which deletions of a pass wait, and remembers it before the pass records or writes anything: whatever comes in between,
 * the next pass knows that they wait. Costs requests only when a deletion is doubtful. Resolves with what waits, and whether
 * that list is new.
 */
export const guardPrune = async (
  request: PruneRequest,
  memory: UnitMemory,
): Promise<{ readonly held?: Held; readonly isNew: boolean }> => {
  const { unit, recorded, built } = request
  const facts = await memory.read(unit)
  const before = facts.guard ?? {}
  const after = await decide(request, before)
  if (!isDeepStrictEqual(after, before)) await memory.write(unit, { ...facts, guard: after })
  return { ...(after.held && { held: after.held }), isNew: after.held?.digest !== before.held?.digest }

  async function decide({ cluster, owner, signal }: PruneRequest, before: GuardMemory): Promise<GuardMemory> {
    const stale = inventoryDifference(recorded, built)
    const kept = recorded.length - stale.length
    const isKnown = new Set([...(before.held?.ids ?? []), ...(before.released ?? [])])
    const isDoubtful =
      isMassDeletion(stale.length, kept, built.length) ||
      stale.some(({ id }) => isKnown.has(id) || isCarrier(parseInventoryId(id)))
    const deletable = isDoubtful ? await deletableOf(cluster, stale, { owner, signal }) : []
    return guardDeletions({
      deletable: deletable.map(({ id }) => id),
      kept,
      built: built.length,
      contents: await deletionContents(cluster, deletable, { owner, signal }),
      memory: before,
      approval: unit.metadata.annotations?.[allowPruneAnnotation],
    })
  }
}

/** What waits, as decided in this or an earlier pass over the unit. */
export const heldDeletions = async (unit: KubernetesObject, memory: UnitMemory): Promise<Held | undefined> =>
  (await memory.read(unit)).guard?.held

/** So many objects are named in a message. */
const mostNamed = 40

/** The list, why it waits, and the command that lets exactly this list go. */
export const describeHeld = (unit: KubernetesObject, { ids, digest, reasons }: Held): string => {
  const { kind, metadata } = unit
  const names = ids.slice(0, mostNamed).map(id => describeRef(parseInventoryId(id)))
  const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ''
  const approval = unit.metadata.annotations?.[allowPruneAnnotation]
  const other =
    approval && approvedDigest(approval) !== digest
      ? `; annotation ${allowPruneAnnotation} names another list, ${approvedDigest(approval).slice(0, 80)}`
      : ''
  return (
    `${ids.length} ${ids.length === 1 ? 'deletion waits' : 'deletions wait'} for approval (${reasons.join('; ')}): ` +
    `${names.join(', ')}${more}; to delete exactly these, run: ` +
    `keelson allow-prune ${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace} --digest ${digest}${other}`
  )
}

/** The condition of a unit with deletions that wait; none of one without. */
export const guardCondition = (
  unit: KubernetesObject,
  held: Held | undefined,
): Record<string, NewCondition | null> => ({
  [pruneGuarded]: held ? { status: 'True', reason: pruneGuarded, message: describeHeld(unit, held) } : null,
})
