import type { PlannedChange } from '../../clusters/apply/planned-changes.ts'
import { type Difference, diff } from '../../clusters/helm-release/drift.ts'
import { observedStorage } from '../../clusters/helm-release/observed-storage.ts'
import { releaseDisclosure } from '../../clusters/helm-release/planned-release.ts'
import { isPending } from '../../engines/helm/release/release.ts'
import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { Comparison } from '../../foundations/fleet/comparison.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { comparisonOf } from '../applied-objects/comparison-of.ts'
import type { LeasePorts } from '../runtime/lease-holding.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { runRestrained } from '../windows/run-restrained.ts'
import { Draft } from './draft.ts'
import { driftOptions } from './drift.ts'
import { placedObjects } from './inventory.ts'
import { fieldManager, releaseNameOf, releaseNamespaceOf, storageNamespaceOf } from './names.ts'
import { takesSecrets } from './release-changes.ts'
import { connect, type TargetPorts } from './target-cluster.ts'

/**
 * Compares the cluster of a HelmRelease with the manifest of its newest version there, as its drift detection does, even if that is off. The pass must
 * be a dry run. Undefined if its Cluster is suspended; fails with an Error that says why it can't be compared.
 */
export const compareHelmRelease = (
  helmRelease: HelmRelease,
  dryPass: Pass<HelmRelease>,
  ports: LeasePorts & TargetPorts,
): Promise<Comparison | undefined> =>
  runRestrained(ports, helmRelease, dryPass, async (unit, pass) => {
    const { clock } = ports
    const { signal } = pass
    const draft = new Draft(unit, clock.now)
    const { cluster } = await connect(draft, pass, ports)
    const storage = observedStorage(cluster, storageNamespaceOf(draft.onCluster), new RecentlyUsed(1), { signal })
    const [newest] = await storage.history(releaseNameOf(unit))
    if (!newest) throw new Error('Helm has no release of it on the cluster')
    const { release } = newest
    const { name, version, info, chart } = release
    if (isPending(release) || info.status === 'uninstalled')
      throw new Error(`version ${version} of the release ${name} is ${info.status}`)
    const objects = await placedObjects({ cluster }, release, signal)
    const disclosure = releaseDisclosure(objects, fieldManager, () => takesSecrets(unit.spec))
    // To override managers is to write.
    const options = await driftOptions(draft, { overriddenManagers: [] })
    const deps = { cluster, storage, clock, signal }
    const differences = await diff(deps, release, releaseNamespaceOf(draft.onCluster), options).catch(error => {
      signal.throwIfAborted()
      throw new Error(disclosure.masked(errorMessage(error)), { cause: error })
    })
    const changes = differences.flatMap(changeOf)
    const revision = `${name}.v${version} with chart ${chart?.metadata?.name}@${chart?.metadata?.version}`
    const unchanged = Math.max(0, objects.length - differences.length)
    return comparisonOf({ revision, changes, unchanged, refused: [] }, disclosure, clock.now())
  })

/** Objects that are excluded from drift detection are not compared. */
const changeOf = (difference: Difference): PlannedChange | [] => {
  const { desired } = difference
  const change = { ref: refOf(desired), apiVersion: desired.apiVersion, desired }
  switch (difference.type) {
    case 'excluded':
      return []
    case 'removed':
      return { ...change, action: 'created' }
    case 'changed':
      return { ...change, action: 'configured', states: difference.states }
  }
}
