import { describeOutage, type Outage } from '../../foundations/rules/outage.ts'
import { type ClusterClient, ClusterError } from './client.ts'
import { wrappedClient } from './wrapped-client.ts'

/** A cluster that is known not to respond: every request fails at once, as with an open breaker of this process. */
export const unreachableClient = (cluster: ClusterClient, outage: Outage): ClusterClient =>
  wrappedClient(cluster, () => async () => {
    throw new ClusterError('unreachable', describeOutage(outage), { outage })
  })
