import type { ClusterClient } from './client.ts'

type Method = (...given: readonly unknown[]) => unknown

/** A cluster each of whose methods is another one, made of the one it has. */
export const wrappedClient = (cluster: ClusterClient, wrap: (method: Method) => Method): ClusterClient =>
  Object.fromEntries(
    Object.entries(cluster).map(([name, value]) => [name, typeof value === 'function' ? wrap(value) : value]),
  ) as unknown as ClusterClient
