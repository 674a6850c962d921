import type { ClusterClient } from './client.ts'

/** Runs a task as soon as a limit allows it. */
export type Limited = <T>(task: () => Promise<T>) => Promise<T>

/** A cluster whose requests keep to a limit, however many clients share that. */
export const limitedClient = (cluster: ClusterClient, limited: Limited): ClusterClient =>
  Object.fromEntries(
    Object.entries(cluster).map(([name, value]) => [
      name,
      typeof value === 'function' ? (...given: readonly unknown[]) => limited(() => value(...given)) : value,
    ]),
  ) as unknown as ClusterClient
