import type { Kustomization } from '../foundations/kinds/kustomization.ts'
import type { ResourceSet } from '../foundations/kinds/resource-set.ts'
import { isFluxKind } from '../foundations/rules/hub-placement.ts'
import type { ClusterPorts } from '../reconcile/applied-objects/reach-cluster.ts'
import type { ReachedTarget } from '../reconcile/applied-objects/reach-target.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import { targetCluster } from '../reconcile/kustomization/target-cluster.ts'
import { defaultResourceSetSettings } from '../reconcile/resource-set/settings.ts'
import { type Target, targetOf } from '../reconcile/resource-set/target-cluster.ts'
import type { HubAccess } from './hub-access.ts'
import { type Lookup, referencesIn } from './local-build.ts'
import { orCommandFailed } from './or-command-failed.ts'

// The cluster of a unit, for the user of the command: not as the unit's ServiceAccount, which would require the right to impersonate.

/** The cluster of a Kustomization. Fails with CommandFailed (exit code 2), or a ClusterError. */
export const localTarget = (
  kustomization: Kustomization,
  hub: HubAccess,
  lookup: NonNullable<Lookup>,
): Promise<ReachedTarget> => {
  const { serviceAccountName, ...spec } = kustomization.spec
  const asUser = { ...kustomization, spec }
  return orCommandFailed(() => targetCluster(portsFor(hub, lookup), asUser, defaultKustomizationSettings), failing)
}

/** The cluster of a ResourceSet. Fails as `localTarget` does. */
export const localTargetOfSet = (set: ResourceSet, hub: HubAccess, lookup: NonNullable<Lookup>): Promise<Target> => {
  const { serviceAccountName, ...spec } = set.spec
  const ports = { ...portsFor(hub, lookup), settings: defaultResourceSetSettings }
  return orCommandFailed(() => targetOf({ ...set, spec }, ports), failing)
}

const failing = { exitCode: 2 }

const portsFor = (hub: HubAccess, lookup: NonNullable<Lookup>): ClusterPorts => ({
  references: referencesIn(lookup),
  clusters: hub.clusters,
  hubCluster: () => hub.cluster,
  isOfHub: isFluxKind,
  hasReferrers: async () => false,
})
