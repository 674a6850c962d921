/** Why there was no answer, or one that broke off, in the words of Go's HTTP client. */
export const failureWords = (url: URL, cause: unknown): string => {
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
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return 'http: server gave HTTP response to HTTPS client'
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
