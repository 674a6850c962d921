import type { ClusterClient } from '../../../lib/clusters/client/client.ts'
import { groupOf } from '../../../lib/foundations/kinds/object.ts'

/** Whether the hub holds a kind; the recordings' hub was a whole Kubernetes cluster, ours holds what Flux needs of one. */
export const isOfHub = (group: string): boolean => group.endsWith('.fluxcd.io') || group === 'fluxcd.controlplane.io'

/** One cluster made of two: Flux's kinds live in the hub, all others in a real cluster. */
export const routedCluster = (hub: ClusterClient, real: ClusterClient): ClusterClient => {
  const of = (apiVersion: string): ClusterClient => (isOfHub(groupOf(apiVersion)) ? hub : real)
  return {
    server: real.server,
    identity: fresh => real.identity(fresh),
    resourceFor: (apiVersion, ...rest) => of(apiVersion).resourceFor(apiVersion, ...rest),
    resourceInAnyVersion: (group, ...rest) => (isOfHub(group) ? hub : real).resourceInAnyVersion(group, ...rest),
    schemaHashes: async options =>
      new Map([...(await real.schemaHashes(options)), ...(await hub.schemaHashes(options))]),
    ...(real.serverVersion && { serverVersion: options => real.serverVersion!(options) }),
    ...(real.servedVersions && { servedVersions: options => real.servedVersions!(options) }),
    resources: options => real.resources(options),
    get: (apiVersion, ...rest) => of(apiVersion).get(apiVersion, ...rest),
    list: (query, ...rest) => of(query.apiVersion).list(query, ...rest),
    apply: (object, ...rest) => of(object.apiVersion).apply(object, ...rest),
    create: (object, ...rest) => of(object.apiVersion).create(object, ...rest),
    patch: (apiVersion, ...rest) => of(apiVersion).patch(apiVersion, ...rest),
    delete: (apiVersion, ...rest) => of(apiVersion).delete(apiVersion, ...rest),
  }
}
