import { type ClusterClient, ClusterError } from '../clusters/client/client.ts'
import { KubeconfigError } from '../clusters/client/kubeconfig.ts'
import { clusterNameOf, type FleetCluster } from '../foundations/fleet/fleet-clusters.ts'
import { accessOf, clientOf } from '../reconcile/applied-objects/stored-access.ts'
import type { HubAccess } from './hub-access.ts'

/** A client of a cluster with the access that the hub stores for it, which the caller must be allowed to read. */
const openCluster = async (hub: HubAccess, { cluster, access, units }: FleetCluster): Promise<ClusterClient> => {
  const named = [cluster, ...units.map(({ object }) => object)] as readonly (Accessing | undefined)[]
  const key = named.find(object => object?.spec?.kubeConfig?.secretRef?.key)?.spec?.kubeConfig?.secretRef?.key
  const object = await hub.cluster.get('v1', { group: '', ...access }, { signal: hub.signal })
  return clientOf(hub.clusters, accessOf(object, access, key))
}

interface Accessing {
  readonly spec?: { readonly kubeConfig?: { readonly secretRef?: { readonly key?: string } } }
}

/** What was found on clusters, and the clusters that could not be read, a line each. */
export interface OnClusters<T> {
  readonly found: readonly T[]
  readonly failed: readonly string[]
}

/** Concurrent clusters. */
const width = 16

/** Does the same on each cluster that has an access. One that fails is reported, and holds the others up for no longer than a request may take. */
export const onClusters = async <T>(
  hub: HubAccess,
  clusters: readonly FleetCluster[],
  work: (client: ClusterClient, at: FleetCluster) => Promise<readonly T[]>,
): Promise<OnClusters<T>> => {
  const [found, failed]: [T[], string[]] = [[], []]
  const left = clusters[Symbol.iterator]()
  const take = async (): Promise<void> => {
    for (const at of left)
      try {
        found.push(...(await work(await openCluster(hub, at), at)))
      } catch (error) {
        hub.signal.throwIfAborted()
        const isExpected = error instanceof ClusterError || error instanceof KubeconfigError || isMissing(error)
        if (!isExpected) throw error
        failed.push(`${clusterNameOf(at)}: ${(error as Error).message}`)
      }
  }
  await Promise.all(Array.from({ length: width }, take))
  return { found, failed }
}

const isMissing = (error: unknown): boolean => error instanceof Error && / not found$/.test(error.message)
