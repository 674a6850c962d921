/**
 * Describes a missing or broken-off response like Go's HTTP client: `dial tcp 10.0.0.1:6443: connect: connection
 * refused`.
 */
export const describeFailure = (url: URL, cause: unknown): string => {
  const error = rootOf(cause)
  const { message, hostname = url.hostname } = error
  const code = typeof error.code === 'string' ? error.code : error.name
  const port = error.port ?? (url.port || (url.protocol === 'https:' ? 443 : 80))
  if (code in dialFailures) return `dial tcp ${error.address ?? url.hostname}:${port}: ${dialFailures[code]}`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname}: no such host`
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'connection reset by peer'
  if (code in certificateFailures)
    return `tls: failed to verify certificate: x509: ${certificateFailures[code] ?? message}`
  if (timeouts.includes(code)) return deadlineExceeded
  if (noTls.includes(code)) return 'http: server gave HTTP response to HTTPS client'
  return message
}

export const deadlineExceeded = 'context deadline exceeded'

interface ConnectionError extends Error {
  /** DOMExceptions have numbers. */
  readonly code?: string | number
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

/** A name with several addresses fails with one error per address: the first is enough. */
const rootOf = (cause: unknown): ConnectionError => {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return rootOf(cause.errors[0])
  if (!(cause instanceof Error)) return new Error(String(cause))
  return cause.cause instanceof Error && !('code' in cause) ? rootOf(cause.cause) : cause
}

const dialFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  UND_ERR_CONNECT_TIMEOUT: 'i/o timeout',
}

const unknownAuthority = 'certificate signed by unknown authority'
const outOfDate = 'certificate has expired or is not yet valid'

/** Undefined = OpenSSL's own message. */
const certificateFailures: Readonly<Record<string, string | undefined>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  CERT_HAS_EXPIRED: outOfDate,
  CERT_NOT_YET_VALID: outOfDate,
  ERR_TLS_CERT_ALTNAME_INVALID: undefined,
}

const timeouts = ['ABORT_ERR', 'TimeoutError', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']
const noTls = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']
