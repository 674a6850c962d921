/** Verified metadata of a TUF repository by file name: at least `root.json`, the initial trust. */
export type TufMetadata = Readonly<Record<string, string>>

export interface Refreshed {
  readonly metadata: TufMetadata
  readonly trustedRoot: Buffer
}

/** The repository can't be reached; cached metadata stays valid. */
export class TufUnreachable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'TufUnreachable'
  }
}
