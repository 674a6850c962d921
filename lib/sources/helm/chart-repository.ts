import type { ChartVersion } from './index-file.ts'

/** Where charts come from, whatever lies behind: an index over HTTP, or a registry. */
export interface ChartRepository {
  /** The highest version of a chart in a range. Fails with ChartNotFound when that takes another spec, otherwise with RepositoryError. */
  find(name: string, range: string): Promise<ChartVersion>
  /** The archive of a version. Fails with RepositoryError. */
  download(version: ChartVersion): Promise<Buffer>
  /** Requires the signatures that are asked for; false when the policy does not insist. Fails with NotVerified or RepositoryError. */
  verify(version: ChartVersion): Promise<boolean>
}

/** There is no such chart or version. */
export class ChartNotFound extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ChartNotFound'
  }
}

/** A repository can't be reached, refuses, or answers with something odd. */
export class RepositoryError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RepositoryError'
  }
}
