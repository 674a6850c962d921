import { type CompactVerifyGetKey, compactVerify, errors } from 'jose'
import { TokenRefused } from '../../identity/token-refused.ts'

/** Kubernetes' algorithms. Asymmetric ones only: a public key must never be accepted as an HMAC secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']

/** The payload of a token that is signed with a key that `keyOf` finds. Fails with TokenRefused, and with the errors of `keyOf`. */
export const verifiedPayload = async (token: string, keyOf: CompactVerifyGetKey): Promise<Uint8Array> => {
  try {
    return (await compactVerify(token, keyOf, { algorithms })).payload
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys)
      for await (const key of error) {
        const verified = await compactVerify(token, key, { algorithms }).catch(() => undefined)
        if (verified) return verified.payload
      }
    if (error instanceof errors.JOSEError)
      throw new TokenRefused(`oidc: verify token: failed to verify signature: ${error.message}`, { cause: error })
    throw error
  }
}
