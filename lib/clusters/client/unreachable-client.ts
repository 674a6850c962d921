import { describeOutage, type Outage } from '../../foundations/rules/outage.ts'
import { type ClusterClient, ClusterError } from './client.ts'

/** A cluster that is known not to respond: every request fails at once, as with an open breaker of this process. */
export const unreachableClient = (cluster: ClusterClient, outage: Outage): ClusterClient => {
  const fail = async (): Promise<never> => {
    throw new ClusterError('unreachable', describeOutage(outage), { outage })
  }
  return Object.fromEntries(
    Object.entries(cluster).map(([name, value]) => [name, typeof value === 'function' ? fail : value]),
  ) as unknown as ClusterClient
}
