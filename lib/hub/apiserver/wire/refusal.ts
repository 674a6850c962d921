import type { ApiError } from '../../store/hub.ts'
import { failure } from '../status.ts'
import { answer } from './answer.ts'

/** The answer to a request that fails: a Status in JSON. */
export const refusal = (request: Request, error: ApiError, warnings: readonly string[] = []): Promise<Response> =>
  answer(
    { request, warnings, retryAfterSeconds: error.details?.retryAfterSeconds },
    JSON.stringify(failure(error)),
    'json',
    error.code,
  )
