import { ClusterError } from '../clusters/client/client.ts'
import type { Kustomization } from '../foundations/kinds/kustomization.ts'
import { isFluxKind } from '../foundations/rules/hub-placement.ts'
import type { ReachedTarget } from '../reconcile/applied-objects/reach-target.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import { targetCluster } from '../reconcile/kustomization/target-cluster.ts'
import { CommandFailed } from './command-failed.ts'
import type { HubAccess } from './hub-access.ts'
import { type Lookup, referencesIn } from './local-build.ts'

/**
 * The cluster of a Kustomization, for the user of the command: not as the Kustomization's ServiceAccount, which would require the right to
 * impersonate. Fails with CommandFailed (exit code 2), or a ClusterError.
 */
export const localTarget = async (
  kustomization: Kustomization,
  hub: HubAccess,
  lookup: NonNullable<Lookup>,
): Promise<ReachedTarget> => {
  const { serviceAccountName, ...spec } = kustomization.spec
  const ports = {
    references: referencesIn(lookup),
    clusters: hub.clusters,
    hubCluster: () => hub.cluster,
    isOfHub: isFluxKind,
    hasReferrers: async () => false,
  }
  try {
    return await targetCluster(ports, { ...kustomization, spec }, defaultKustomizationSettings)
  } catch (error) {
    if (error instanceof ClusterError) throw error
    throw new CommandFailed((error as Error).message, { exitCode: 2, cause: error })
  }
}
