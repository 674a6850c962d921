import type { Dispatcher } from 'undici'
import { GitError, type GitErrorCode } from './git-error.ts'

const MAX_REASON_BYTES = 1000

const refusals: Readonly<Record<number, { code: GitErrorCode; text: string }>> = {
  401: { code: 'unauthorized', text: 'authentication required' },
  403: { code: 'forbidden', text: 'authorization failed' },
  404: { code: 'repositoryNotFound', text: 'repository not found' },
}

/** An answer that is no success, in the words of go-git: with what the server says about it. */
export const refusal = async ({ statusCode, body }: Dispatcher.ResponseData, url: URL): Promise<GitError> => {
  const known = refusals[statusCode]
  if (!known) {
    await body.dump()
    return new GitError('protocol', `unexpected requesting "${url.href}" status code: ${statusCode}`)
  }
  return new GitError(known.code, `${known.text}: ${await reasonOf(body)}`)
}

const reasonOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MAX_REASON_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_REASON_BYTES).toString('utf8')
}

/** No answer, or one that broke off, in the words of Go's HTTP client. */
export const connectionFailure = (url: URL, cause: unknown): GitError =>
  new GitError('unreachable', `Get "${url.href}": ${reasonOfFailure(url, cause)}`, { cause })

const reasonOfFailure = (url: URL, cause: unknown): string => {
  const error = firstCause(cause)
  const address = `${error.address ?? url.hostname}:${error.port ?? (url.port || (url.protocol === 'https:' ? 443 : 80))}`
  switch (error.code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`
    case 'ENOTFOUND':
      return `dial tcp: lookup ${url.hostname}: no such host`
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return 'connection reset by peer'
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `dial tcp ${address}: i/o timeout`
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
    case 'ABORT_ERR':
      return 'context deadline exceeded'
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
    default:
      return error.name === 'TimeoutError' ? 'context deadline exceeded' : error.message
  }
}

interface ConnectionError extends Error {
  readonly code?: string | number
  readonly address?: string
  readonly port?: number
}

/** A name with several addresses fails with one error for each. */
const firstCause = (cause: unknown): ConnectionError => {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0]
  return cause instanceof Error ? cause : new Error(String(cause))
}
