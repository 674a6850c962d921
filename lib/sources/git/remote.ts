import type { Spool } from '../spool.ts'

/** A repository on a server, whatever protocol that server speaks. Every call fails with GitError. */
export interface Remote {
  /** Whether requests may be sent side by side, before the server has greeted. */
  readonly takesBlindRequests: boolean
  /** The references whose names begin with one of the prefixes, or all; an old server sends all in any case. */
  references(prefixes: readonly string[]): Promise<readonly RemoteReference[]>
  /** A pack of the objects wanted, with all that they refer to unless there is a filter, goes into the spool. */
  fetch(request: FetchRequest, pack: Spool): Promise<void>
}

export interface RemoteReference {
  /** `refs/heads/main` */
  readonly name: string
  readonly id: string
  /** What an annotated tag points to in the end. */
  readonly peeled?: string
}

export interface FetchRequest {
  readonly wants: readonly string[]
  /** How many commits of history; ignored by servers that only know whole histories. */
  readonly depth?: number
  /** `blob:none`, `tree:0`: leave out what the wants refer to. Fails where the server does not allow it. */
  readonly filter?: string
  /** Sent in protocol v2 without having heard from the server; fails where that speaks another. */
  readonly isBlind?: true
}
