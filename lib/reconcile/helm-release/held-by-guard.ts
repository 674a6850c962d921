import type { Deletable } from '../../clusters/apply/prune.ts'
import { type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import { isKeptByUninstall, isKeptByUpgrade } from '../../clusters/helm-release/kept.ts'
import { eachOf } from '../../clusters/helm-release/objects.ts'
import { ownershipProblem } from '../../clusters/helm-release/ownership.ts'
import { isTransient, releaseStorage } from '../../clusters/helm-release/storage.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { pruneGuarded } from '../../foundations/kinds/applied.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { inventoryDifference, inventoryEntry } from '../../foundations/rules/inventory.ts'
import { withHubLimit } from '../../foundations/rules/prune-rules.ts'
import { type Deletions, describeHeld, holdDeletions } from '../guard/prune-guard.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import type { Context } from './context.ts'
import type { ActionName } from './decide.ts'
import { failure, waiting } from './failure.ts'
import { placedObjects } from './inventory.ts'
import { previewed } from './previewed.ts'
import type { Work } from './work.ts'

/** What the guard needs of a pass besides the deletions. */
export interface GuardedPass
  extends Pick<Work, 'draft' | 'pass' | 'restraint' | 'author'>,
    Pick<Context, 'settings' | 'units' | 'clock'> {
  readonly references: Pick<Context['references'], 'localList'>
  readonly cluster: ClusterClient
}

/**
 * How a pass ends whose upgrade, or rollback of an undo, would delete what waits for approval; undefined if it may begin. An upgrade can't leave out its deletions, so it waits as a whole. What follows an
 * action that has begun never waits. `approvedIds`: what the approved plan deletes.
 */
export const upgradeHeldByGuard = async (
  work: Work,
  action: ActionName,
  approvedIds: ReadonlySet<string> = new Set(),
): Promise<Outcome<HelmRelease> | undefined> => {
  const { deps, plans, settings, pass } = work
  if (!settings.pruneGuard || (action !== 'upgrade' && action !== 'undo')) return undefined
  const versions = await versionsOf(work, action)
  if (!versions) return undefined
  const [before, after] = await Promise.all(versions.map(version => placedObjects(deps, version, pass.signal)))
  const [recorded, built] = [before!.map(inventoryEntry), after!.map(inventoryEntry)]
  const gone = new Set(inventoryDifference(recorded, built).map(({ id }) => id))
  const stale = before!.filter(object => gone.has(inventoryEntry(object).id))
  const guarded = { ...work, ...{ cluster: deps.cluster, clock: deps.clock, references: plans.references } }
  const deletable = await deletableOf(guarded, stale, live => !isKeptByUpgrade(live))
  return heldByGuard(guarded, { deletable, recorded, built, kept: recorded.length - stale.length }, approvedIds)
}

/**
 * How a pass ends that would uninstall the former release of a HelmRelease that has moved or has another chart; undefined if it may, or has begun to. Everything of the release is
 * deleted, also what the next release makes again.
 */
export const moveHeldByGuard = async (guarded: GuardedPass): Promise<Outcome<HelmRelease> | undefined> => {
  const { draft, cluster, clock, settings, pass } = guarded
  const [current] = draft.status.history ?? []
  if (!settings.pruneGuard || !current) return undefined
  const { signal } = pass
  const storage = releaseStorage(cluster, draft.status.storageNamespace!, clock, { signal })
  const [last] = await storage.history(current.name).catch(error => {
    throw undetermined(draft, 'uninstallation', error)
  })
  if (!last || last.release.info.status === 'uninstalled' || last.progress?.action === 'uninstall') return undefined
  const { name, namespace = current.namespace } = last.release
  const placed = await placedObjects({ cluster }, last.release, signal)
  const deletable = await deletableOf(
    guarded,
    placed.filter(object => !isKeptByUninstall(object)),
    live => !ownershipProblem(live, { name, namespace }),
  )
  const recorded = placed.map(inventoryEntry)
  // The next release is not rendered before this one is gone. It is not empty, so this is no build of nothing.
  return heldByGuard(guarded, { deletable, recorded, built: recorded, kept: 0 })
}

const heldByGuard = async (
  { draft, pass, restraint, author, settings, units, references, clock, cluster }: GuardedPass,
  deletions: Deletions,
  approvedIds: ReadonlySet<string> = new Set(),
): Promise<Outcome<HelmRelease> | undefined> => {
  const { namespace = '', name } = draft.onCluster.metadata
  const held = await holdDeletions({ applier: draft.release, pass, cluster, clock }, deletions, {
    owner: { group: 'helm.toolkit.fluxcd.io', namespace, name },
    ...{ units, approvedIds },
    rules: withHubLimit(restraint.pruneRules, settings),
    decisions: { references, policy: restraint.approvalPolicy, author },
  })
  if (!held) {
    draft.remove(pruneGuarded)
    return undefined
  }
  const message = describeHeld(draft.release, held)
  draft.mark(pruneGuarded, 'True', pruneGuarded, message)
  draft.mark('Ready', 'False', pruneGuarded, message)
  draft.remove('Reconciling')
  return waiting(draft, intervalOf(draft.release), true)
}

/** Forgets what waited or was approved, once that is deleted or wanted again: later deletions of the same objects are decided again. Approvals that were used stay known. */
export const forgetHeld = async ({ draft, units, settings }: Pick<GuardedPass, 'draft' | 'units' | 'settings'>) => {
  draft.remove(pruneGuarded)
  if (!settings.pruneGuard) return
  const { guard, ...facts } = await units.read(draft.release)
  if (!guard?.held && !guard?.released) return
  const { held, released, ...used } = guard
  await units.write(draft.release, { ...facts, guard: used })
}

const undetermined = (draft: GuardedPass['draft'], what: string, error: unknown) =>
  failure(draft, 'StateError', `Could not determine what the ${what} deletes: ${errorMessage(error)}`)

/** The stored version and the one after the action. What can't be rendered is left to the upgrade, which reports it; what the cluster refuses is tried again. */
const versionsOf = async (work: Work, action: ActionName): Promise<readonly [Release, Release] | undefined> => {
  try {
    const { current, release } = await previewed(work, action)
    return current && [current, release]
  } catch (error) {
    if (error instanceof ClusterError) throw undetermined(work.draft, action === 'undo' ? 'rollback' : 'upgrade', error)
    return undefined
  }
}

/** Which of these objects Helm would delete, whatever their labels are. Like Helm, it leaves alone what can't be read. */
const deletableOf = async (
  { cluster, draft, pass: { signal } }: GuardedPass,
  objects: readonly KubernetesObject[],
  isDeleted: (live: KubernetesObject) => boolean,
): Promise<readonly Deletable[]> => {
  const found = await eachOf(objects, async (object): Promise<readonly Deletable[]> => {
    const live = await cluster.get(object.apiVersion, refOf(object), { metadataOnly: true, signal })
    const isLeaving = live && !live.metadata.deletionTimestamp && isDeleted(live)
    return isLeaving ? [{ entry: inventoryEntry(object), live }] : []
  })
  return found.flatMap(result => {
    if (result.status === 'fulfilled') return result.value
    const { reason } = result
    if (!(reason instanceof ClusterError)) throw reason
    if (isTransient(reason)) throw undetermined(draft, 'release', reason)
    return []
  })
}
