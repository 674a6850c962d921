import type { CallOptions, ClusterClient } from './client.ts'
import type { Tally } from './tally.ts'

/** The methods that send requests about objects, with the place of their options. */
const metered = { get: 2, list: 1, apply: 1, create: 1, patch: 3, delete: 2 } as const

/** A cluster whose requests on behalf of one pass are counted. */
export const meteredClient = (cluster: ClusterClient, tally: Tally): ClusterClient => ({
  ...cluster,
  ...Object.fromEntries(
    Object.entries(metered).map(([name, place]) => [
      name,
      (...given: unknown[]) => {
        const call = cluster[name as keyof typeof metered] as (...given: unknown[]) => unknown
        return call(...given.slice(0, place), { ...(given[place] as CallOptions | undefined), tally })
      },
    ]),
  ),
})
