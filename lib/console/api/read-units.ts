import { clusterNameOf, fleetOf } from '../../foundations/fleet/fleet-clusters.ts'
import type { Cluster } from '../../foundations/kinds/cluster.ts'
import { type UnitRow, unitRow } from '../model/unit-filter.ts'
import { clusterKind, namespaceKind, unitKinds } from './fleet-kinds.ts'
import type { HubApi } from './hub-api.ts'
import { listIfAllowed, listPage } from './list-kind.ts'

/** The units of a scope with their clusters. Fails with ApiFailure if the person may not list Kustomizations there. */
export const readUnits = async (
  api: HubApi,
  namespace: string | undefined,
  labelSelector: string | undefined,
  signal: AbortSignal,
): Promise<readonly UnitRow[]> => {
  const scope = { namespace, query: { labelSelector } }
  const [first, ...rest] = unitKinds
  const [own, others, clusters, namespaces] = await Promise.all([
    listPage(api, first!, scope, signal),
    Promise.all(rest.map(kind => listIfAllowed(api, kind, scope, signal))),
    listIfAllowed(api, clusterKind, { namespace }, signal) as Promise<readonly unknown[]>,
    listIfAllowed(api, namespaceKind, {}, signal),
  ])
  const fleet = fleetOf({
    clusters: clusters as readonly Cluster[],
    units: [...own.items, ...others.flat()],
    namespaces,
  })
  const seen = new Set<object>()
  return [
    ...fleet.clusters.flatMap(at =>
      at.units.flatMap(({ object }) => {
        // Two Clusters with one access have the same units.
        if (seen.has(object)) return []
        seen.add(object)
        return [unitRow(object, clusterNameOf(at))]
      }),
    ),
    ...fleet.onHub.map(({ object }) => unitRow(object, undefined)),
  ]
}
