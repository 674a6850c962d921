/** What the objects of a unit are like on their cluster, at paths below `/fleet/live`: read for the caller, with the rights that they have there. */
import type { Clock } from '../../platform/ports/clock.ts'
import type { FleetReports } from '../apiserver/fleet/fleet-reports.ts'
import { visibleUnit } from '../apiserver/fleet/visible-unit.ts'
import { liveReadOf } from './live-paths.ts'
import { liveError, readLive } from './read-live.ts'
import { type LivePorts, reachAs } from './stored-access.ts'

/** For callers who may get a unit on the hub. What they see is what the cluster lets them. */
export const liveReports =
  (ports: LivePorts & { readonly clock: Pick<Clock, 'now'> }): FleetReports =>
  async (url, viewer) => {
    const read = liveReadOf(url)
    if (!read) return undefined
    const unit = await visibleUnit(ports.hub, viewer, url.searchParams.get('unit') ?? '')
    const { cluster, as } = await reachAs(ports, unit, viewer).catch(error => {
      throw liveError(error)
    })
    const found = await readLive(unit, cluster, read, ports.clock.now())
    return read.what === 'tree' && as ? { as, ...found } : found
  }
