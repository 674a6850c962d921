import { groupOf } from '../../foundations/kinds/object.ts'
import type { ClusterClient } from './client.ts'

export interface Sides {
  readonly cluster: ClusterClient
  /** The API server for some kinds. */
  readonly hub: ClusterClient
  readonly isOfHub: (kind: { readonly group: string; readonly kind: string }) => boolean
}

/** Combines two API servers: requests for the hub's kinds go to the hub, all others to the cluster. */
export const splitClient = ({ cluster, hub, isOfHub }: Sides): ClusterClient => {
  const sideOf = (group: string, kind: string): ClusterClient => (isOfHub({ group, kind }) ? hub : cluster)
  const serving = (apiVersion: string, kind: string) => sideOf(groupOf(apiVersion), kind)
  return {
    ...cluster,
    access: cluster.access && {
      connection: cluster.access.connection,
      user: JSON.stringify([cluster.access.user, hub.access?.user]),
    },
    resourceFor: (apiVersion, kind, options) => serving(apiVersion, kind).resourceFor(apiVersion, kind, options),
    resourceInAnyVersion: (group, kind, options) => sideOf(group, kind).resourceInAnyVersion(group, kind, options),
    // Used to find the contents of a Namespace: deleting one on the cluster deletes nothing on the hub.
    resources: async options => (await cluster.resources(options)).filter(kind => !isOfHub(kind)),
    get: (apiVersion, ref, options) => sideOf(ref.group, ref.kind).get(apiVersion, ref, options),
    list: (query, options) => serving(query.apiVersion, query.kind).list(query, options),
    apply: (object, options) => serving(object.apiVersion, object.kind).apply(object, options),
    create: (object, options) => serving(object.apiVersion, object.kind).create(object, options),
    patch: (apiVersion, ref, patch, options) => sideOf(ref.group, ref.kind).patch(apiVersion, ref, patch, options),
    delete: (apiVersion, ref, options) => sideOf(ref.group, ref.kind).delete(apiVersion, ref, options),
  }
}
