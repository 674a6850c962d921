import { ClusterError, type ClusterErrorCode, type ErrorCause } from './client.ts'
import type { TransportResponse } from './transport.ts'

/** The parts of metav1.Status that describe a refusal. */
interface Status {
  readonly kind?: string
  readonly message?: string
  readonly reason?: string
  readonly details?: { readonly causes?: readonly Partial<ErrorCause>[] }
}

/** The error for an API server's refusal, in the server's wording (client-go's if it has none). */
export const statusError = ({ status, body }: TransportResponse): ClusterError => {
  const { message, reason, details } = parseStatus(body)
  const causes = details?.causes?.map(({ reason = '', message = '', field }) => ({ reason, message, field }))
  return new ClusterError(codeOf(status, reason), messageOf(status, message), { status, reason, causes })
}

/** Whether a 404 is about the object; otherwise the path itself is unknown: the kind is not (or no longer) served. */
export const isObjectNotFound = ({ status, body }: TransportResponse): boolean =>
  status === 404 && parseStatus(body).kind !== undefined

const parseStatus = (body: string): Status => {
  try {
    const parsed: unknown = JSON.parse(body)
    const isStatus = typeof parsed === 'object' && parsed !== null && (parsed as Status).kind === 'Status'
    return isStatus ? cut(parsed) : {}
  } catch {
    return {}
  }
}

/**
 * Enough for the messages of an admission policy or schema about a large object; limited because any server may
 * respond.
 */
const maxMessageLength = 8192

const cut = (status: Status): Status => {
  const { message } = status
  if (message === undefined) return status
  return { ...status, message: String(message).slice(0, maxMessageLength) }
}

const messageOf = (status: number, message: string | undefined): string => {
  if (status === 401) return 'the server has asked for the client to provide credentials'
  if (message) return message
  if (status === 404) return 'the server could not find the requested resource'
  if (status === 429) return 'the server has received too many requests and has asked us to try again later'
  if (status === 403) return 'the server does not allow this request'
  return `the server responded with status ${status}`
}

const codeOf = (status: number, reason: string | undefined): ClusterErrorCode => {
  if (status === 401) return 'unauthorized'
  // Admission policies deny with 422 or 403: the reason distinguishes them.
  if (status === 403) return 'forbidden'
  if (status === 404) return 'notFound'
  if (status === 409) return reason === 'AlreadyExists' ? 'alreadyExists' : 'conflict'
  if (status === 429) return 'throttled'
  return status >= 400 && status < 500 ? 'invalid' : 'server'
}
