import { ClusterError } from './client.ts'

/**
 * Says in Kubernetes' usual words why no answer came. Users know these texts from Flux and kubectl:
 * `Get "https://host/api": dial tcp 10.0.0.1:6443: connect: connection refused`.
 */
export const unreachable = (method: string, url: string, error: unknown): ClusterError => {
  const verb = method.charAt(0) + method.slice(1).toLowerCase()
  return new ClusterError('unreachable', `${verb} "${url}": ${explain(error)}`, { cause: error })
}

const explain = (error: unknown): string => {
  const { code = '', message = String(error), address, port, hostname } = rootOf(error)
  const peer = address ? `dial tcp ${address}:${port}: ` : 'dial tcp: '
  if (code in dialFailures) return `${peer}${dialFailures[code]}`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname}: no such host`
  if (code in certificateFailures) return `tls: failed to verify certificate: x509: ${certificateFailures[code]}`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `tls: failed to verify certificate: x509: ${message}`
  if (code in timeouts) return `context deadline exceeded (${timeouts[code]})`
  return message
}

interface NodeError {
  readonly name?: string
  readonly code?: string
  readonly message?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
}

/** Connections tried to several addresses fail with an AggregateError: the first tells enough. */
const rootOf = (error: unknown): NodeError => {
  const { errors, cause, code, name } = (error ?? {}) as NodeError
  if (errors?.length) return rootOf(errors[0])
  if (cause && !code) return rootOf(cause)
  return name === 'TimeoutError' ? { code: name } : (error as NodeError)
}

const dialFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  UND_ERR_CONNECT_TIMEOUT: 'i/o timeout',
}

const certificateFailures: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate signed by unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate signed by unknown authority',
  CERT_HAS_EXPIRED: 'certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'certificate has expired or is not yet valid',
}

const timeouts: Readonly<Record<string, string>> = {
  TimeoutError: 'Client.Timeout exceeded while awaiting headers',
  UND_ERR_HEADERS_TIMEOUT: 'Client.Timeout exceeded while awaiting headers',
  UND_ERR_BODY_TIMEOUT: 'Client.Timeout or context cancellation while reading body',
}
