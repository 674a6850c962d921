/** Why a chart build failed, in source-controller's terms. */
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
  /** A retry can't help until the spec or the source changes. */
  readonly isLasting: boolean
  constructor(reason: BuildReason, message: string, cause?: unknown) {
    super(`${summaries[reason]}: ${message}`, { cause })
    this.name = 'ChartBuildError'
    this.reason = reason
    this.isLasting = lasting.includes(reason)
  }
}
