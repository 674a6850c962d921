import { causesOf } from '../../foundations/fleet/causes.ts'
import { fleetOf } from '../../foundations/fleet/fleet-clusters.ts'
import { type FleetSummary, summaryOf } from '../../foundations/fleet/fleet-summary.ts'
import type { Cluster } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { clusterKind, namespaceKind, sourceKinds, unitKinds } from './fleet-kinds.ts'
import type { HubApi } from './hub-api.ts'
import { listIfAllowed, listPage } from './list-kind.ts'

/** What fails, why, and each cluster in a row; and the Clusters themselves. */
export interface FleetView {
  readonly summary: FleetSummary
  readonly clusters: readonly Cluster[]
}

const maxCauses = 50
const maxNames = 100

/** Fails with ApiFailure if the person may not list Kustomizations in this scope. */
export const readFleet = async (
  api: HubApi,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<FleetView> => {
  const scope = { namespace }
  const [first, ...rest] = unitKinds
  const [own, others, clusters, sources, namespaces] = await Promise.all([
    listPage(api, first!, scope, signal),
    Promise.all(rest.map(kind => listIfAllowed(api, kind, scope, signal))),
    listIfAllowed(api, clusterKind, scope, signal) as Promise<readonly unknown[]>,
    Promise.all(sourceKinds.map(kind => listIfAllowed(api, kind, scope, signal))),
    readNamespaces(api, namespace, signal),
  ])
  const fleet = fleetOf({
    clusters: clusters as readonly Cluster[],
    units: [...own.items, ...others.flat()],
    namespaces,
  })
  const causes = causesOf({ fleet, sources: sources.flat() })
  return {
    summary: summaryOf(fleet, causes, { limit: Math.max(maxCauses, fleet.clusters.length + 1), maxNames }),
    clusters: clusters as readonly Cluster[],
  }
}

/** For their annotations: to who may not read them, units that inherit a cluster are on the hub itself. */
const readNamespaces = async (
  api: HubApi,
  name: string | undefined,
  signal: AbortSignal,
): Promise<readonly KubernetesObject[]> => {
  if (name === undefined) return listIfAllowed(api, namespaceKind, {}, signal)
  return listIfAllowed(api, namespaceKind, { query: { fieldSelector: `metadata.name=${name}` } }, signal)
}
