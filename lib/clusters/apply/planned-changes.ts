import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { describeRef, type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { compareApplyOrder } from '../../foundations/rules/apply-order.ts'
import { inventoryDifference, inventoryEntry, inventoryObject } from '../../foundations/rules/inventory.ts'
import type { ClusterClient } from '../client/client.ts'
import type { ApplyAllOptions } from './apply-all.ts'
import { type Accepted, type Item, isRefused, type Judged, orRefusal, type Refused } from './apply-engine.ts'
import type { ApplyFailure } from './apply-error.ts'
import type { Change } from './change-set.ts'
import { withoutFields } from './ignored-fields.ts'
import { type JudgedObjects, judgeObjects } from './judge-objects.ts'
import { previewTakeover } from './preview-takeover.ts'
import { awaitedObject } from './provisional.ts'
import { type Deletable, deletableOf } from './prune.ts'

/** `unknown`: the cluster can only judge it after what it waits for. */
export type PlannedAction = 'created' | 'configured' | 'recreated' | 'deleted' | 'unknown'

/** What applying a set of objects would do to one of them. */
export interface PlannedChange extends Pick<Change, 'ref' | 'apiVersion' | 'origin' | 'states'> {
  readonly action: PlannedAction
  /** What comes first: `Namespace/shop`, or `the deletion of Namespace/shop`, which is not gone yet. */
  readonly waitsFor?: string
  /** The object as the build has it; absent if it is deleted. */
  readonly desired?: KubernetesObject
  /** The object as the cluster would create it; absent if that is only known once others are applied. */
  readonly defaulted?: KubernetesObject
  /** The object that is deleted, without its content. */
  readonly removed?: KubernetesObject
  /** The file of a field, with its line. */
  readonly locateField?: Item['locateField']
}

export interface PlannedChanges {
  /** In the order in which they would be made: deletions last. */
  readonly changes: readonly PlannedChange[]
  /** Number of objects that would stay as they are. */
  readonly unchanged: number
  /** What the cluster refuses: applying would fail. Then no deletions are planned. */
  readonly failures: readonly ApplyFailure[]
}

export interface PlanningOptions extends Omit<ApplyAllOptions, 'recorded' | 'withStates'> {
  /** What earlier runs have applied. */
  readonly inventory: readonly InventoryEntry[]
  /** Whether what is no longer among the objects would be deleted. */
  readonly prune: boolean
}

/**
 * What `applyAll` and `prune` would do with these objects, without doing it: by dry runs of the cluster. Fails with an ApplyError if discovery
 * fails, and with the outage if the cluster is unreachable.
 */
export const planChanges = async (
  cluster: ClusterClient,
  objects: readonly KubernetesObject[],
  options: PlanningOptions,
): Promise<PlannedChanges> => {
  const { inventory, prune, owner, signal } = options
  const recorded = new Set(inventory.map(({ id }) => id))
  const judged = await judgeObjects(cluster, objects, { ...options, recorded })
  const { all, refused } = judged
  const written = await Promise.all(all.map(one => changeOrRefusal(one, judged, cluster, options)))
  const changes = written.flatMap(result => (result && !isRefused(result) ? result : []))
  const failures = [...refused, ...written.filter(one => one !== undefined).filter(isRefused)].map(
    ({ failure }) => failure,
  )
  const wanted = all.map(({ desired }) => inventoryEntry(desired))
  const stale = prune && failures.length === 0 ? inventoryDifference(inventory, wanted) : []
  const deletions = await planDeletions(cluster, stale, { owner, ...(signal && { signal }) })
  return {
    changes: [...changes, ...deletions.map(change => ({ ...change, ...waitsForDeletion(judged.goingAway) }))],
    unchanged: all.length - changes.length - failures.length,
    failures,
  }
}

/** What `prune` would do with these objects. */
export const planDeletions = async (
  ...[cluster, stale, options]: Parameters<typeof deletableOf>
): Promise<readonly PlannedChange[]> =>
  (await deletableOf(cluster, stale, options)).map(deletion).sort((a, b) => compareApplyOrder(b.ref, a.ref))

const deletion = ({ entry, live }: Deletable): PlannedChange => {
  const { apiVersion, ref } = inventoryObject(entry)
  return { ref, apiVersion, action: 'deleted', ...(live && { removed: live }) }
}

/** Like the apply, it judges an object again, once, if another client has written it in between. */
const changeOrRefusal = async (
  one: Judged,
  judged: JudgedObjects,
  cluster: ClusterClient,
  options: PlanningOptions,
): Promise<PlannedChange | Refused | undefined> => {
  const result = await orRefusal(one, () => changeOf(one, judged, cluster, options))
  if (!result || !isRefused(result) || result.failure.cause.code !== 'conflict') return result
  const again = await judged.judgeAgain(one)
  if (isRefused(again)) return again
  const isProvisional = () => judged.isProvisional(one)
  const isBehindDeletion = () => judged.isBehindDeletion(one)
  return orRefusal(again, () => changeOf(again, { ...judged, isProvisional, isBehindDeletion }, cluster, options))
}

const changeOf = async (
  one: Judged,
  { all, isProvisional, goingAway, isBehindDeletion }: JudgedObjects,
  cluster: ClusterClient,
  options: PlanningOptions,
): Promise<PlannedChange | undefined> => {
  const { desired, origin, locateField } = one
  const awaited = isProvisional(one) ? awaitedObject(one, all) : undefined
  const base = {
    ref: refOf(desired),
    apiVersion: desired.apiVersion,
    desired,
    ...(origin !== undefined && { origin }),
    ...(locateField && { locateField }),
    ...(isProvisional(one) && { waitsFor: awaited ? describeRef(refOf(awaited)) : 'earlier objects' }),
    ...(isBehindDeletion(one) && waitsForDeletion(goingAway)),
  }
  if (isRefused(one) && !isProvisional(one)) return undefined
  // It goes with its Namespace or its kind, and can't be created before they are there again.
  if (isBehindDeletion(one) && goingAway && awaitedObject(one, [goingAway])) return { ...base, action: 'unknown' }
  if (isRefused(one)) return { ...base, action: isMissing(one, awaited) ? 'created' : 'unknown' }
  switch (one.verdict.action) {
    case 'created': {
      const { defaulted } = one.verdict
      return { ...base, action: 'created', ...(defaulted && { defaulted }) }
    }
    case 'recreated': {
      const { live } = one.verdict
      return { ...base, action: 'recreated', states: { before: live, after: { ...live, ...desired } } }
    }
    case 'configured':
      return { ...base, action: 'configured', ...(await configuredStates(one, one.verdict, cluster, options)) }
    default:
      return undefined
  }
}

const waitsForDeletion = (goingAway: Judged | undefined): Pick<PlannedChange, 'waitsFor'> =>
  goingAway ? { waitsFor: `the deletion of ${describeRef(refOf(goingAway.desired))}` } : {}

/** Without its kind or its namespace, an object can't exist. */
const isMissing = ({ failure }: Refused, awaited: KubernetesObject | undefined): boolean =>
  failure.cause.code === 'noMatch' || (failure.cause.code === 'notFound' && awaited?.kind === 'Namespace')

/** With what is removed because its former manager is overridden: that is not in the dry run of the apply alone. */
const configuredStates = async (
  { desired }: Accepted,
  { live, states, takeover }: Extract<Accepted['verdict'], { action: 'configured' }>,
  cluster: ClusterClient,
  { fieldManager, ignored, signal }: PlanningOptions,
): Promise<Pick<PlannedChange, 'states'>> => {
  if (!takeover) return states ? { states } : {}
  const { before, after: applied } = states ?? { before: live, after: live }
  const after = await previewTakeover(cluster, { desired, applied, takeover, fieldManager, signal })
  return { states: { before, after: withoutFields(after, ignored?.(after) ?? []) } }
}
