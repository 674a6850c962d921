import type { ClusterClient } from './client.ts'
import type { Tally } from './tally.ts'

/** A cluster whose requests about objects are counted on behalf of one pass. */
export const meteredClient = (cluster: ClusterClient, tally: Tally): ClusterClient => ({
  ...cluster,
  get: (apiVersion, ref, options) => cluster.get(apiVersion, ref, { ...options, tally }),
  list: (query, options) => cluster.list(query, { ...options, tally }),
  apply: (object, options) => cluster.apply(object, { ...options, tally }),
  create: (object, options) => cluster.create(object, { ...options, tally }),
  patch: (apiVersion, ref, patch, options) => cluster.patch(apiVersion, ref, patch, { ...options, tally }),
  delete: (apiVersion, ref, options) => cluster.delete(apiVersion, ref, { ...options, tally }),
})
