/** What the objects of a unit are like on their cluster, at paths below `/fleet/live`: read for the caller, with the rights that they have there. */
import { ClusterError } from '../../clusters/client/client.ts'
import { KubeconfigError } from '../../clusters/client/kubeconfig-error.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { FleetReports } from '../apiserver/fleet/fleet-reports.ts'
import { visibleUnit } from '../apiserver/fleet/visible-unit.ts'
import { ApiError } from '../store/hub.ts'
import { liveEvents, liveObject, namedObject, podLog } from './live-object.ts'
import { isLivePath, liveParameters, readParameters } from './live-paths.ts'
import { liveTree } from './live-tree.ts'
import { type LivePorts, reachAs } from './stored-access.ts'

/** For callers who may get a unit on the hub. What they see is what the cluster lets them. */
export const liveReports =
  (ports: LivePorts & { readonly clock: Pick<Clock, 'now'> }): FleetReports =>
  async (url, viewer) => {
    const { pathname } = url
    if (!isLivePath(pathname)) return undefined
    const given = readParameters(url, liveParameters[pathname]!)
    const unit = await visibleUnit(ports.hub, viewer, given('unit'))
    try {
      const { cluster, as } = await reachAs(ports, unit, viewer)
      if (pathname === '/fleet/live')
        return { ...(as && { as }), ...(await liveTree(unit, cluster, ports.clock.now())) }
      const named = namedObject(unit, given('object'))
      if (pathname === '/fleet/live/object') return await liveObject(cluster, named)
      if (pathname === '/fleet/live/events') return { items: await liveEvents(cluster, named) }
      return { text: await podLog(cluster, named, given('container')) }
    } catch (error) {
      throw asApiError(error)
    }
  }

/** A cluster's refusal is the caller's: 403 stays 403. All else is a fault between hub and cluster. */
const asApiError = (error: unknown): unknown => {
  if (error instanceof KubeconfigError) return new ApiError(503, 'ServiceUnavailable', error.message)
  if (!(error instanceof ClusterError)) return error
  if (error.code === 'forbidden') return new ApiError(403, 'Forbidden', `on the cluster: ${error.message}`)
  if (error.code === 'notFound' || error.code === 'noMatch')
    return new ApiError(404, 'NotFound', `on the cluster: ${error.message}`)
  return new ApiError(503, 'ServiceUnavailable', error.message)
}
