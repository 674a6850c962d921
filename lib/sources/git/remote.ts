import type { Spool } from '../spool.ts'

/** A repository on a server, independent of the protocol version. Every call fails with GitError. */
export interface Remote {
  /** Whether requests may be sent concurrently, before the server's greeting. */
  readonly allowsEarlyRequests: boolean
  /**
   * The references whose names begin with one of the prefixes, or all if there are none; an old server returns all in
   * any case.
   */
  references(prefixes: readonly string[]): Promise<readonly RemoteReference[]>
  /** Fetches a pack into the spool: the wanted objects, with everything they refer to unless a filter is set. */
  fetch(request: FetchRequest, pack: Spool): Promise<void>
}

export interface RemoteReference {
  /** `refs/heads/main` */
  readonly name: string
  readonly id: string
  /** The commit that an annotated tag points to. */
  readonly peeled?: string
}

export interface FetchRequest {
  readonly wants: readonly string[]
  /** Number of commits of history; ignored by servers that only send whole histories. */
  readonly depth?: number
  /** `blob:none` or `tree:0`: the objects to omit. Fails if the server does not support filters. */
  readonly filter?: string
  /** Sent in protocol v2 before the greeting; fails if the server speaks another version. */
  readonly isEarly?: true
}
