import type { ChartBuildError } from '../../source/helm/chart-build-error.ts'
import { Halt } from '../runtime/halt.ts'
import { failure, fetchFailed } from '../source-artifact/outcomes.ts'

// The ways in which a pass over a HelmChart ends early beyond those of all sources, with the conditions that
// source-controller sets for them.

/** The source has nothing yet: its news start the next pass. */
export const sourceEmpty = (message: string, afterMs: number): Halt<never> =>
  new Halt({ type: 'waiting', afterMs, conditions: { FetchFailed: failure('NoSourceArtifact', message) } })

/** What verification needs is missing. */
export const verificationImpossible = (message: string, cause: unknown): Halt<never> => {
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
export const buildFailed = (error: ChartBuildError): Halt<never> => {
  const { reason, message } = error
  if (reason === 'ChartVerificationError') return notVerified(error)
  const condition = failure(reason, message)
  const conditions = builds.includes(reason)
    ? { FetchFailed: null, BuildFailed: condition }
    : { BuildFailed: null, FetchFailed: condition }
  return new Halt({ type: error.isLasting ? 'stalled' : 'failed', reason, message, cause: error, conditions })
}

const notVerified = ({ reason, message, cause }: ChartBuildError): Halt<never> =>
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
export const asAuthenticationFailure = (error: ChartBuildError): Halt<never> | undefined => {
  const signs = /\b401\b|unauthorized|authentication required|tls|unknown certificate authority/
  if (!signs.test(error.message)) return undefined
  return fetchFailed('AuthenticationFailed', `failed to authenticate with the Helm repository: ${error.message}`, error)
}
