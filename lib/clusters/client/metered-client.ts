import type { ClusterClient } from './client.ts'
import type { Tally } from './tally.ts'

/** The methods that send requests, each with the place of its options among the parameters. */
const optionsAt = {
  ...{ identity: 1, resourceFor: 2, resourceInAnyVersion: 2, resources: 0, schemaHashes: 0, serverVersion: 0 },
  ...{ servedVersions: 0, readiness: 0, document: 1, get: 2, list: 1, apply: 1, create: 1, patch: 3, delete: 2 },
} as const satisfies Partial<Record<keyof ClusterClient, number>>

type Method = (...given: readonly unknown[]) => unknown

/** A cluster whose requests are counted on behalf of one pass. */
export const meteredClient = (cluster: ClusterClient, tally: Tally): ClusterClient => {
  const counted = Object.entries(optionsAt).flatMap(([name, at]) => {
    const method = cluster[name as keyof typeof optionsAt] as Method | undefined
    const call: Method = (...given) =>
      method!(...Array.from({ length: at }, (_, i) => given[i]), { ...(given[at] as object), tally })
    return method ? [[name, call]] : []
  })
  return { ...cluster, ...Object.fromEntries(counted) }
}
