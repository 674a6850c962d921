import type { HelmChart } from '../../kinds/helm-chart.ts'
import type { NewCondition } from '../../rules/conditions.ts'
import type { ChartBuildError } from '../../source/helm/chart-build-error.ts'
import { Halt } from '../runtime/halt.ts'

/** The ways in which a pass over a HelmChart ends early, with the conditions that source-controller sets for them. */
type ChartHalt = Halt<HelmChart>

const failure = (reason: string, message: string): NewCondition => ({ status: 'True', reason, message })

/** Source or repository can't be used, for now. */
export const fetchFailed = (reason: string, message: string, cause?: unknown): ChartHalt =>
  new Halt({ type: 'failed', reason, message, cause, conditions: { FetchFailed: failure(reason, message) } })

/** They can't be used before somebody changes a spec. */
export const fetchStalled = (reason: string, message: string, cause?: unknown): ChartHalt =>
  new Halt({ type: 'stalled', reason, message, cause, conditions: { FetchFailed: failure(reason, message) } })

/** The source has nothing yet: its news start the next pass. */
export const sourceEmpty = (message: string, afterMs: number): ChartHalt =>
  new Halt({ type: 'waiting', afterMs, conditions: { FetchFailed: failure('NoSourceArtifact', message) } })

/** What verification needs is missing. */
export const verificationImpossible = (message: string, cause: unknown): ChartHalt => {
  const reason = 'VerificationError'
  return new Halt({
    type: 'failed',
    reason,
    message,
    cause,
    conditions: {
      BuildFailed: null,
      FetchFailed: failure('Unknown', `unknown build error: ${message}`),
      SourceVerified: { status: 'False', reason, message },
    },
  })
}

const builds = ['MetadataPatchError', 'ValuesFilesError', 'DependencyBuildError', 'ChartPackageError']

/** The chart can't be pulled or packaged. */
export const buildFailed = (error: ChartBuildError): ChartHalt => {
  const { reason, message } = error
  if (reason === 'ChartVerificationError') return notVerified(error)
  const condition = failure(reason, message)
  const conditions = builds.includes(reason)
    ? { FetchFailed: null, BuildFailed: condition }
    : { BuildFailed: null, FetchFailed: condition }
  return new Halt({ type: error.isLasting ? 'stalled' : 'failed', reason, message, cause: error, conditions })
}

const notVerified = ({ reason, message, cause }: ChartBuildError): ChartHalt =>
  new Halt({
    type: 'failed',
    reason: 'VerificationError',
    message,
    cause,
    event: { severity: 'error', reason, message },
    conditions: {
      FetchFailed: null,
      BuildFailed: failure(reason, message),
      SourceVerified: { status: 'False', reason: 'VerificationError', message },
    },
  })

/** A registry or repository that refuses us: Flux tells by the words. Unlike Flux we don't take a port such as 40117 for one. */
export const asAuthenticationFailure = (error: ChartBuildError): ChartHalt | undefined => {
  const signs = /\b401\b|unauthorized|authentication required|tls|unknown certificate authority/
  if (!signs.test(error.message)) return undefined
  return fetchFailed('AuthenticationFailed', `failed to authenticate with the Helm repository: ${error.message}`, error)
}

export const storageFailed = (cause: unknown): ChartHalt => {
  const reason = 'ArchiveOperationFailed'
  const message = `unable to copy Helm chart to storage: ${cause instanceof Error ? cause.message : String(cause)}`
  const conditions = { StorageOperationFailed: failure(reason, message) }
  return new Halt({ type: 'failed', reason, message, cause, conditions })
}
