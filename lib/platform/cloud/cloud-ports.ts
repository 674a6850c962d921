import type { Fetch } from './send-request.ts'

/** What asking a cloud takes. */
export interface CloudPorts {
  readonly fetch: Fetch
  readonly clock: { now(): number }
}

/**
 * What the identity of this process itself is found with. Nothing of it is handed to work that a user defines: files and the
 * metadata service belong to the machine.
 */
export interface AmbientPorts extends CloudPorts {
  readonly environment: Environment
  readFile(path: string): Promise<string>
  /** Reaches the link-local metadata service of the machine; absent = it is not asked. */
  readonly metadataFetch?: Fetch
}

export type Environment = Readonly<Record<string, string | undefined>>
