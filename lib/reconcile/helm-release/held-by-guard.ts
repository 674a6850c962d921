import type { Deletable } from '../../clusters/apply/prune.ts'
import { ClusterError } from '../../clusters/client/client.ts'
import { preview } from '../../clusters/helm-release/preview.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { type InventoryEntry, pruneGuarded } from '../../foundations/kinds/applied.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { inventoryDifference, inventoryEntry } from '../../foundations/rules/inventory.ts'
import { withHubLimit } from '../../foundations/rules/prune-rules.ts'
import { describeHeld, holdDeletions } from '../guard/prune-guard.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import type { ActionName } from './decide.ts'
import { failure, waiting } from './failure.ts'
import { placedObjects } from './inventory.ts'
import { installRequest, upgradeRequest } from './requests.ts'
import type { Work } from './work.ts'

/**
 * How a pass ends whose upgrade would delete what waits for approval; undefined if it may begin. An upgrade can't leave out its deletions, so it waits as a whole. What follows an
 * action that has begun never waits. `approvedIds`: what the approved plan deletes.
 */
export const heldByGuard = async (
  work: Work,
  action: ActionName,
  approvedIds: ReadonlySet<string> = new Set(),
): Promise<Outcome<HelmRelease> | undefined> => {
  const { draft, pass, deps, restraint, settings, units, plans } = work
  if (!settings.pruneGuard || action !== 'upgrade') return undefined
  const versions = await previewed(work)
  if (!versions) return undefined
  const [before, after] = await Promise.all(
    versions.map(async version =>
      (await placedObjects(deps, version, pass.signal)).map(object => ({ object, entry: inventoryEntry(object) })),
    ),
  )
  const [recorded, built] = [before!, after!].map(placed => placed.map(({ entry }) => entry)) as [
    InventoryEntry[],
    InventoryEntry[],
  ]
  const gone = new Set(inventoryDifference(recorded, built).map(({ id }) => id))
  const stale = before!.filter(({ entry }) => gone.has(entry.id))
  const deletable = (await Promise.all(stale.map(one => deletableOf(work, one)))).flat()
  const { namespace = '', name } = draft.onCluster.metadata
  const held = await holdDeletions(
    { applier: draft.release, pass, cluster: deps.cluster, clock: deps.clock },
    { deletable, recorded, built, kept: recorded.length - stale.length },
    {
      owner: { group: 'helm.toolkit.fluxcd.io', namespace, name },
      ...{ units, approvedIds },
      rules: withHubLimit(restraint.pruneRules, settings),
      decisions: { references: plans.references, policy: restraint.approvalPolicy },
    },
  )
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

/** The stored version and the one after the upgrade. What can't be rendered is left to the upgrade, which reports it; what the cluster refuses is tried again. */
const previewed = async ({
  draft,
  deps,
  chart,
  values,
  requests,
}: Work): Promise<readonly [Release, Release] | undefined> => {
  const given = { chart, values }
  try {
    const { current, release } = await preview(deps, {
      install: installRequest(draft.onCluster, given, requests),
      upgrade: upgradeRequest(draft.onCluster, given, requests),
    })
    return current && [current, release]
  } catch (error) {
    if (error instanceof ClusterError)
      throw failure(draft, 'StateError', `Could not determine what the upgrade deletes: ${errorMessage(error)}`)
    return undefined
  }
}

/** Helm deletes what has left the chart, whatever its labels are, unless it is annotated with `keep`. */
const deletableOf = async (
  { deps: { cluster }, pass: { signal } }: Work,
  { object, entry }: { readonly object: KubernetesObject; readonly entry: InventoryEntry },
): Promise<readonly Deletable[]> => {
  try {
    const live = await cluster.get(object.apiVersion, refOf(object), { metadataOnly: true, signal })
    const isKept = [object, live].some(one => one?.metadata.annotations?.['helm.sh/resource-policy'] === 'keep')
    return live && !live.metadata.deletionTimestamp && !isKept ? [{ entry, live }] : []
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    return error.code === 'noMatch' ? [] : [{ entry }]
  }
}
