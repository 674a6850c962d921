import type { Fetch } from './send-request.ts'

/** What requests to clouds need. */
export interface CloudPorts {
  readonly fetch: Fetch
  readonly clock: { now(): number }
}

/**
 * What is needed to find the identity of this process. Never passed to work that users define: the files and the
 * metadata service belong to the machine.
 */
export interface AmbientPorts extends CloudPorts {
  readonly environment: Environment
  readFile(path: string): Promise<string>
  /** Reaches the machine's link-local metadata service; absent = not used. */
  readonly metadataFetch?: Fetch
}

export type Environment = Readonly<Record<string, string | undefined>>
