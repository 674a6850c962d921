import { UnsealFailed } from '../../platform/ports/keys.ts'
import { ApiError } from '../store/hub.ts'

/** metav1.Status, the response body of every error and some successes. */
export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: Record<string, never>
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly code?: number
}

/** The Status of an error, by which clients distinguish errors: `reason` and `code` rather than the message. */
export const failure = ({ code, reason, message, details }: ApiError): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  ...(reason && { reason }),
  ...(details && { details }),
  code,
})

/** The Status of a deletion; `details` name the object. */
export const success = (details: Readonly<Record<string, unknown>>): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details,
})

const notOpened =
  "a stored Secret can't be decrypted with the hub's master key: restore the key that it was encrypted with, or delete the Secret and create it again"

/** Converts an error to an ApiError. Any other error is a bug or a failure of the platform: its message may contain what no client should see. */
export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : error instanceof UnsealFailed
      ? new ApiError(500, 'InternalError', `Internal error occurred: ${notOpened}`)
      : new ApiError(500, 'InternalError', 'Internal error occurred: the hub failed to handle the request')
