import type { ApiError } from '../../store/hub.ts'
import { failure } from '../status.ts'
import { respond } from './respond.ts'

/** The response to a request that fails: a Status in JSON. */
export const refusal = (request: Request, error: ApiError, warnings: readonly string[] = []): Promise<Response> =>
  respond(
    { request, warnings, retryAfterSeconds: error.details?.retryAfterSeconds },
    JSON.stringify(failure(error)),
    'json',
    error.code,
  )
