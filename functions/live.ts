import { parseLiveRequest } from '../events/live.ts'
import { handleLive } from '../lib/compose/aws/handle-live.ts'
import { composeClusters } from '../lib/compose/clusters.ts'
import { liveReports } from '../lib/hub/live/live-reports.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'

const clusters = composeClusters(hub.ports, hub.settings, hub.tokens)
const reports = liveReports({ ...hub, clusters, clock: hub.ports.clock })
const { authorize } = hub.authorizer

/** Reads what is on clusters for a person, whom `apiserver` has authenticated. It writes no objects, neither there nor on the hub. */
export const handler = observedHandler((event: unknown) => handleLive({ reports, authorize }, parseLiveRequest(event)))
