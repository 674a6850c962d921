/** Metadata of a TUF repository that were found good, by their file names: `root.json` at least, from which trust begins. */
export type TufMetadata = Readonly<Record<string, string>>

export interface Refreshed {
  readonly metadata: TufMetadata
  readonly trustedRoot: Buffer
}

/** The repository could not be asked; what was known of it before is as good as it was. */
export class TufUnreachable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'TufUnreachable'
  }
}
