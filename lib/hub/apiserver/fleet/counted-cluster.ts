import type { ClusterSummary } from '../../../foundations/fleet/cluster-summary.ts'
import { cluster } from '../../../foundations/kinds/cluster.ts'
import type { KubernetesObject, ObjectRef } from '../../../foundations/kinds/object.ts'
import type { Hub } from '../../store/hub.ts'
import type { ResourceRequest } from '../request-info.ts'
import type { FleetReports } from './fleet-reports.ts'
import type { Viewer } from './visible-fleet.ts'

const pathOf = ({ namespace, name }: ObjectRef): string => {
  const cluster = `Cluster/${namespace}/${name}`
  return `http://hub/fleet/clusters?${new URLSearchParams({ permitted: 'true', cluster })}`
}

/**
 * The hub, in which a Cluster that is read has the counts of its units in its status. They are counted then, of the units that the caller may list:
 * to store them, each probe would have to read all units, or each pass write another object.
 */
export const withCountedCluster = <H extends Pick<Hub, 'get'>>(
  hub: H,
  { verb, group, resource, subresource }: ResourceRequest,
  reports: FleetReports | undefined,
  viewer: Viewer,
): H => {
  if (!reports || verb !== 'get' || group !== cluster.group || resource !== cluster.plural || subresource) return hub
  return {
    ...hub,
    get: async <T extends KubernetesObject>(...[ref]: Parameters<Hub['get']>) => {
      const object = await hub.get<T>(ref)
      if (!object) return undefined
      const { items } = (await reports(new URL(pathOf(ref)), viewer)) as { readonly items: readonly ClusterSummary[] }
      const [found] = items
      return found ? { ...object, status: { ...(object.status as object), units: found.units } } : object
    },
  }
}
