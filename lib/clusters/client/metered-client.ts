import type { ClusterClient } from './client.ts'
import type { Tally } from './tally.ts'

/** A cluster whose requests are counted on behalf of one pass. */
export const meteredClient = (cluster: ClusterClient, tally: Tally): ClusterClient => {
  const { serverVersion, servedVersions, document } = cluster
  return {
    ...cluster,
    identity: (fresh, options) => cluster.identity(fresh, { ...options, tally }),
    resourceFor: (apiVersion, kind, options) => cluster.resourceFor(apiVersion, kind, { ...options, tally }),
    resourceInAnyVersion: (group, kind, options) => cluster.resourceInAnyVersion(group, kind, { ...options, tally }),
    resources: options => cluster.resources({ ...options, tally }),
    schemaHashes: options => cluster.schemaHashes({ ...options, tally }),
    ...(serverVersion && { serverVersion: options => serverVersion({ ...options, tally }) }),
    ...(servedVersions && { servedVersions: options => servedVersions({ ...options, tally }) }),
    ...(document && { document: (path, options) => document(path, { ...options, tally }) }),
    get: (apiVersion, ref, options) => cluster.get(apiVersion, ref, { ...options, tally }),
    list: (query, options) => cluster.list(query, { ...options, tally }),
    apply: (object, options) => cluster.apply(object, { ...options, tally }),
    create: (object, options) => cluster.create(object, { ...options, tally }),
    patch: (apiVersion, ref, patch, options) => cluster.patch(apiVersion, ref, patch, { ...options, tally }),
    delete: (apiVersion, ref, options) => cluster.delete(apiVersion, ref, { ...options, tally }),
  }
}
