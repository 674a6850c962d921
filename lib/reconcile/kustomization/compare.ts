import { planChanges } from '../../clusters/apply/planned-changes.ts'
import type { Comparison } from '../../foundations/fleet/comparison.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { comparisonOf } from '../applied-objects/comparison-of.ts'
import type { ClusterPorts } from '../applied-objects/reach-cluster.ts'
import type { BuildStorePorts } from '../kept-builds/sealed-builds.ts'
import type { LeasePorts } from '../runtime/lease-holding.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { runRestrained } from '../windows/run-restrained.ts'
import { applyRules, fieldManager } from './apply-manifests.ts'
import { orFailure } from './failure.ts'
import { placedBuild } from './place-on-hub.ts'
import type { KustomizationRun } from './run.ts'
import type { KustomizationSettings } from './settings.ts'
import { connect } from './target-cluster.ts'
import { buildStore } from './undo/build-store.ts'

/**
 * Compares the cluster of a Kustomization with the manifests that it applied last, as its own passes do: with the same identity and rules. The pass must
 * be a dry run. Undefined if its Cluster is suspended; fails with an Error that says why it can't be compared.
 */
export const compareKustomization = (
  kustomization: Kustomization,
  dryPass: Pass<Kustomization>,
  { settings, ...ports }: ClusterPorts & LeasePorts & BuildStorePorts & { readonly settings: KustomizationSettings },
): Promise<Comparison | undefined> =>
  runRestrained(ports, kustomization, dryPass, async (unit, pass) => {
    const { clock } = ports
    const { signal, startedAt } = pass
    const [last] = unit.status?.history ?? []
    if (!last) throw new Error('it has not applied anything yet')
    const kept = await orFailure('ArtifactFailed', signal, () => buildStore(ports).get(unit, last.digest))
    if (!kept)
      throw new Error(
        `what it applied last (${last.digest}) is not kept: with --undo-limit 0 nothing is; otherwise the next change is`,
      )
    const { cluster, owner, hubSide } = await connect(unit, { ...ports, settings }, pass)
    const manifests = placedBuild(kept.manifests, hubSide)
    const run: KustomizationRun = {
      ...{ applier: unit, pass, clock, cluster, owner, startedAt, digest: last.digest },
      ...{ revision: kept.revision, routine: false },
    }
    const { applied: inventory, ...rules } = applyRules(run, manifests, settings, (_, origin) => origin)
    const { changes, unchanged, failures } = await orFailure('ReconciliationFailed', signal, () =>
      planChanges(cluster, manifests.objects, { ...rules, inventory, prune: unit.spec.prune, clock, signal }),
    )
    const { revision } = kept.revision
    const refused = failures.map(({ message }) => message)
    return comparisonOf({ revision, changes, unchanged, refused }, { ...manifests.secrets, fieldManager }, clock.now())
  })
