import type { AccessToken } from '../access-token.ts'
import { CloudError } from '../cloud-error.ts'
import type { CloudPorts } from '../cloud-ports.ts'
import { requestJson, textOr } from '../send-request.ts'
import type { ExternalAccount, SubjectTokenSource } from './credentials.ts'
import { cloudPlatformScope } from './identity.ts'
import { tokenIn } from './token-response.ts'

/** Gets the other issuer's token of an external account. */
export type SubjectTokens = (source: SubjectTokenSource, audience: string) => Promise<string>

/** Exchanges another issuer's token for Google's at STS and, if the file names one, for a service account's. Fails with CloudError. */
export const federatedToken = async (
  { fetch, clock }: CloudPorts,
  account: Omit<ExternalAccount, 'type' | 'source'>,
  subjectToken: () => Promise<string>,
): Promise<AccessToken> => {
  const { audience, subjectTokenType, tokenUrl, impersonationUrl } = account
  const requestedAt = clock.now()
  const exchanged = await requestJson(fetch, {
    service: 'GCP',
    what: `token exchange for ${audience}`,
    url: tokenUrl,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience,
      scope: cloudPlatformScope,
      subject_token_type: subjectTokenType,
      subject_token: await subjectToken(),
    }).toString(),
  })
  const federated = tokenIn(exchanged, requestedAt)
  if (!impersonationUrl) return federated
  const response = await requestJson(fetch, {
    service: 'GCP',
    what: 'impersonation of the service account',
    url: impersonationUrl,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${federated.token}` },
    body: JSON.stringify({ scope: [cloudPlatformScope], lifetime: '3600s' }),
  })
  const token = textOr(response.accessToken)
  const expiresAt = Date.parse(textOr(response.expireTime) ?? '')
  if (token && expiresAt) return { token, expiresAt }
  throw new CloudError('GCP', 'the response to the impersonation has no access token')
}
