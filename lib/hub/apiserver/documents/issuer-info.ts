import type { ServiceAccountTokens } from '../identity/service-account-tokens.ts'
import { signingAlgorithm } from '../identity/signing-algorithm.ts'

/** Serves the documents that clients need to verify tokens of this hub's ServiceAccounts; undefined for other paths. */
export const issuerInfo = async (
  { pathname, host }: URL,
  { issuer, keySet }: Pick<ServiceAccountTokens, 'issuer' | 'keySet'>,
): Promise<Response | undefined> => {
  const path = pathname.replace(/\/$/, '')
  if (path === '/openid/v1/jwks') return document(await keySet(), 'application/jwk-set+json')
  if (path !== '/.well-known/openid-configuration') return undefined
  const configuration = {
    issuer,
    jwks_uri: `https://${host}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [signingAlgorithm],
  }
  return document(configuration, 'application/json')
}

const document = (content: object, type: string): Response =>
  new Response(JSON.stringify(content), { headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' } })
