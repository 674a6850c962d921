import type { AccessToken } from '../access-token.ts'
import { CloudError } from '../cloud-error.ts'
import { type JsonResponse, textOr } from '../send-request.ts'

/**
 * The access token in a response of Google's OAuth, STS or metadata service to a request made at `requestedAt` (ms since
 * the epoch). Fails with CloudError if there is none.
 */
export const tokenIn = (response: JsonResponse, requestedAt: number): AccessToken => {
  const token = textOr(response.access_token)
  const seconds = Number(response.expires_in)
  if (token) return { token, expiresAt: requestedAt + (seconds > 0 ? seconds : 300) * 1000 }
  throw new CloudError('GCP', 'the response has no access token')
}
