import type { ClusterClient } from './client.ts'
import { wrappedClient } from './wrapped-client.ts'

/** Runs a task as soon as a limit allows it. */
export type Limited = <T>(task: () => Promise<T>) => Promise<T>

/** A cluster whose requests keep to a limit, however many clients share that. */
export const limitedClient = (cluster: ClusterClient, limited: Limited): ClusterClient =>
  wrappedClient(
    cluster,
    method =>
      (...given) =>
        limited(async () => method(...given)),
  )
