import type { ChartBuildError } from '../../sources/helm/chart-build-error.ts'
import { Halt } from '../runtime/halt.ts'
import { type Conditions, failure } from '../source-artifact/outcomes.ts'

// How a pass over a HelmChart ends early, beyond the cases of all sources, with source-controller's conditions.

/** The source has no artifact yet; the pass runs again when it has. */
export const sourceEmpty = (message: string, afterMs: number): Halt<never> =>
  new Halt({
    type: 'failed',
    reason: noArtifact,
    message,
    afterMs,
    isWait: true,
    conditions: { FetchFailed: failure(noArtifact, message) },
    event: { severity: 'info', reason: noArtifact, message, quiet: true },
  })

const noArtifact = 'NoSourceArtifact'

/**
 * A failure between the source and the build. source-controller treats it as a build failure with an unknown reason:
 * the conditions have that one, while the event, or Stalled, has the real reason.
 */
export const sourceFailure = (reason: string, message: string, cause: unknown): Halt<never> => {
  const unknown = unknownFailure(message)
  const event = { severity: 'error', reason, message } as const
  return new Halt({ type: 'failed', ...unknown, cause, event, conditions: observed(unknown) })
}

/** Like `sourceFailure`, until the spec changes. */
export const permanentSourceFailure = (reason: string, message: string, cause?: unknown): Halt<never> => {
  const unknown = unknownFailure(message)
  return new Halt({ type: 'stalled', reason, message, cause, ready: unknown, conditions: observed(unknown) })
}

/** The keys or certificates for verification are missing. */
export const verificationImpossible = (message: string, cause: unknown): Halt<never> => {
  const reason = 'VerificationError'
  const conditions = {
    ...observed(unknownFailure(message)),
    SourceVerified: { status: 'False', reason, message } as const,
  }
  return new Halt({ type: 'failed', reason, message, cause, conditions })
}

const unknownFailure = (message: string) => ({ reason: 'Unknown', message: `unknown build error: ${message}` })

const observed = ({ reason, message }: { readonly reason: string; readonly message: string }): Conditions => ({
  BuildFailed: null,
  FetchFailed: failure(reason, message),
})

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

/**
 * A registry or repository refused the credentials: as in Flux, found by the error text. Unlike Flux, does not match
 * ports such as 40117.
 */
export const asAuthenticationFailure = (error: ChartBuildError): Halt<never> | undefined => {
  const signs = /\b401\b|unauthorized|authentication required|tls|unknown certificate authority/
  if (!signs.test(error.message)) return undefined
  const message = `failed to authenticate with the Helm repository: ${error.message}`
  return sourceFailure('AuthenticationFailed', message, error)
}
