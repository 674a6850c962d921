import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { describeChange } from '../../clusters/apply/change-set.ts'
import { handOver } from '../../clusters/apply/hand-over.ts'
import { describePruneFailures, type PruneFailure, prune } from '../../clusters/apply/prune.ts'
import { deletionProtected } from '../../clusters/client/protecting-client.ts'
import type { InventoryEntry } from '../../foundations/kinds/kustomization.ts'
import { adoptedNames } from '../../foundations/kinds/kustomization.ts'
import { describeRef, type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { kustomizeGroup } from '../../foundations/kinds/references.ts'
import { inventoryId, inventoryObject, inventoryUnion } from '../../foundations/rules/inventory.ts'
import type { Held } from '../../foundations/rules/prune-guard.ts'
import { type PruneRules, withHubLimit } from '../../foundations/rules/prune-rules.ts'
import { inventoryAfter } from '../applied-objects/apply-objects.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import { type DecisionPorts, holdBack as holdBackDeletions, splitRemoved } from '../guard/prune-guard.ts'
import { fieldManager } from './apply-manifests.ts'
import type { Context } from './context.ts'
import { eventMetadata, progressEvent } from './events.ts'
import type { FoundMoves } from './find-moves.ts'
import { ownerOf } from './owner.ts'
import { notePruned } from './quoted-values.ts'
import type { KustomizationRun } from './run.ts'
import { runFailure } from './run.ts'

interface Leave {
  readonly rules: PruneRules
  readonly moves: FoundMoves
  /** The objects of the build. */
  readonly objects: readonly KubernetesObject[]
  /** Ids of objects whose deletion was approved with the plan. */
  readonly planned?: ReadonlySet<string> | undefined
  /** Who must approve what waits. */
  readonly approvers: Omit<DecisionPorts, 'references'>
}

/** Inventory ids of the Kustomizations that Kustomizations of a build adopt: they leave their objects, and go without approval. */
const adoptedIn = (objects: readonly KubernetesObject[]): ReadonlySet<string> =>
  new Set(
    objects
      .map(object => [refOf(object), object] as const)
      .filter(([{ group, kind }]) => group === kustomizeGroup && kind === 'Kustomization')
      .flatMap(([ref, object]) => adoptedNames(object).map(name => inventoryId({ ...ref, name }))),
  )

/** The deletions that wait for approval. */
export const holdBack = async (
  run: KustomizationRun,
  built: readonly InventoryEntry[],
  { rules, moves, objects, planned = new Set(), approvers }: Leave,
  { units, settings, references }: Pick<Context, 'units' | 'settings' | 'references'>,
): Promise<Held | undefined> => {
  const { applier: kustomization, revision } = run
  if (!kustomization.spec.prune || !settings.pruneGuard) return undefined
  const metadata = eventMetadata(revision)
  const moved = new Set(moves.takers.keys())
  const approvedIds = new Set([...adoptedIn(objects), ...planned])
  return holdBackDeletions(run, {
    ...{ owner: run.owner, built, units, rules: withHubLimit(rules, settings), moved, approvedIds },
    ...{ decisions: { ...approvers, references }, metadata },
  })
}

/** The state after the deletion of objects that are no longer in the build. */
export interface Pruned {
  /** The new inventory. */
  readonly entries: readonly InventoryEntry[]
  /** Those that wait for a time at which they may be deleted; they stay in the inventory. */
  readonly postponed: readonly InventoryEntry[]
}

/**
 * Deletes objects that are no longer in the build, unless `isHeld`, or others than those in `allowed` would be: then they wait. Those that another Kustomization has by now get its labels instead. If objects can't
 * be deleted, halts and keeps them in the inventory.
 */
export const pruneStale = async (
  run: KustomizationRun,
  changes: ChangeSet,
  {
    held,
    isHeld,
    moves,
    allowed,
  }: {
    readonly held: Held | undefined
    readonly isHeld: boolean
    readonly moves: FoundMoves
    /** Inventory ids. */
    readonly allowed?: ReadonlySet<string> | undefined
  },
): Promise<Pruned> => {
  const { applier: kustomization, pass, cluster, revision } = run
  const applied = inventoryAfter(changes)
  if (!kustomization.spec.prune) return { entries: inventoryUnion(applied, []), postponed: [] }
  const { stale, waiting } = splitRemoved(inventoryOf(kustomization), applied, held)
  const left = inventoryUnion(applied, waiting)
  if (isHeld || stale.some(({ id }) => allowed?.has(id) === false))
    return { entries: inventoryUnion(left, stale), postponed: stale }
  if (stale.length === 0) return { entries: left, postponed: [] }
  pass.note({ phase: 'Prune' })
  const refused = await handOverTaken(run, stale, moves)
  const rest = stale.filter(({ id }) => !moves.takers.has(id))
  const pruned = await prune(cluster, rest, { owner: run.owner, signal: pass.signal })
  pass.note({ changes: pruned.changes })
  const failures = [...refused, ...pruned.failures]
  if (failures.length > 0) {
    await notePruned(run, run.applier, pruned.failures)
    const survivors = failures.map(({ entry }) => entry)
    const reason = failures.some(({ isProtected }) => isProtected) ? deletionProtected : 'PruneFailed'
    throw runFailure(run, reason, describePruneFailures(failures), {
      status: { inventory: { entries: inventoryUnion(left, survivors) } },
    })
  }
  pass.event(progressEvent(pruned.changes.map(describeChange).join('\n'), revision))
  return { entries: left, postponed: [] }
}

/** The objects that another Kustomization has: they get its labels. Resolves to what the cluster refused. */
const handOverTaken = async (
  { cluster, owner, pass, revision }: KustomizationRun,
  stale: readonly InventoryEntry[],
  { takers }: FoundMoves,
): Promise<readonly PruneFailure[]> => {
  const byTaker = Map.groupBy(stale, ({ id }) => takers.get(id))
  const refused: PruneFailure[] = []
  for (const [taker, entries] of byTaker) {
    if (!taker) continue
    const to = { ...ownerOf(taker), namespace: owner.namespace }
    refused.push(...(await handOver(cluster, entries, { from: owner, to, fieldManager, signal: pass.signal })))
    const names = entries.map(entry => describeRef(inventoryObject(entry).ref)).join(', ')
    const message = `left to Kustomization ${taker.metadata.namespace}/${taker.metadata.name}: ${names}`
    pass.event({ severity: 'info', reason: 'Moved', message, metadata: eventMetadata(revision) })
  }
  return refused
}
