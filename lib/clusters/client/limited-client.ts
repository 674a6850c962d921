import type { ClusterClient } from './client.ts'
import type { limiter } from './limiter.ts'

/** A cluster whose requests keep to a limit, however many clients share that. */
export const limitedClient = (cluster: ClusterClient, limited: ReturnType<typeof limiter>): ClusterClient =>
  Object.fromEntries(
    Object.entries(cluster).map(([name, value]) => [
      name,
      typeof value === 'function' ? (...given: readonly unknown[]) => limited(() => value(...given)) : value,
    ]),
  ) as unknown as ClusterClient
