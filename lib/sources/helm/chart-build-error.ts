/** Why a chart could not be built, in source-controller's terms. */
export type BuildReason = keyof typeof summaries

const summaries = {
  InvalidChartReference: 'invalid chart reference',
  ChartPullError: 'chart pull error',
  MetadataPatchError: 'chart metadata patch error',
  ValuesFilesError: 'values files merge error',
  DependencyBuildError: 'dependency build error',
  ChartPackageError: 'chart package error',
  ChartVerificationError: 'chart verification error',
}

const lasting: readonly BuildReason[] = ['InvalidChartReference', 'MetadataPatchError', 'ValuesFilesError']

export class ChartBuildError extends Error {
  readonly reason: BuildReason
  /** Nothing but another spec, or another source, can help. */
  readonly isLasting: boolean
  constructor(reason: BuildReason, message: string, cause?: unknown) {
    super(`${summaries[reason]}: ${message}`, { cause })
    this.name = 'ChartBuildError'
    this.reason = reason
    this.isLasting = lasting.includes(reason)
  }
}
