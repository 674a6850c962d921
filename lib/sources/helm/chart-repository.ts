import type { ChartVersion } from './index-file.ts'

/** A source of charts: an index over HTTP, or a registry. */
export interface ChartRepository {
  /**
   * The highest version of a chart in a range. Fails with ChartNotFound if only another spec can help, otherwise with
   * RepositoryError.
   */
  find(name: string, range: string): Promise<ChartVersion>
  /** The archive of a version. Fails with RepositoryError. */
  download(version: ChartVersion): Promise<Buffer>
  /**
   * Requires valid signatures; returns false if the policy does not enforce them. Fails with NotVerified or
   * RepositoryError.
   */
  verify(version: ChartVersion): Promise<boolean>
}

/** The chart or version does not exist. */
export class ChartNotFound extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ChartNotFound'
  }
}

/** A repository can't be reached, refuses a request, or sends an unexpected response. */
export class RepositoryError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RepositoryError'
  }
}
