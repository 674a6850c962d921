import { type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import { KubeconfigError } from '../../clusters/client/kubeconfig-error.ts'
import type { LiveRead } from '../../foundations/fleet/live.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { ApiError } from '../store/hub.ts'
import { liveEvents, liveObject, namedObject, podLog } from './live-object.ts'
import { liveTree } from './live-tree.ts'

/** Reads what is on the cluster of a unit, as the identity of the client. `now` is in milliseconds since the epoch. Fails with an ApiError. */
export const readLive = async (
  unit: KubernetesObject,
  cluster: ClusterClient,
  read: LiveRead,
  now: number,
): Promise<object> => {
  try {
    if (read.what === 'tree') return await liveTree(unit, cluster, now)
    const named = namedObject(unit, read.object)
    switch (read.what) {
      case 'object':
        return await liveObject(cluster, named)
      case 'events':
        return { items: await liveEvents(cluster, named) }
      case 'log':
        return { text: await podLog(cluster, named, read) }
    }
  } catch (error) {
    throw liveError(error)
  }
}

/** A cluster's refusal is the caller's: 403 stays 403. All else is a fault between hub and cluster. */
export const liveError = (error: unknown): unknown => {
  if (error instanceof KubeconfigError) return new ApiError(503, 'ServiceUnavailable', error.message)
  if (!(error instanceof ClusterError)) return error
  if (error.code === 'forbidden') return new ApiError(403, 'Forbidden', `on the cluster: ${error.message}`)
  if (error.code === 'notFound' || error.code === 'noMatch')
    return new ApiError(404, 'NotFound', `on the cluster: ${error.message}`)
  return new ApiError(503, 'ServiceUnavailable', error.message)
}
