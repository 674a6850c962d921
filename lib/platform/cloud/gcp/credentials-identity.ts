import { cached } from '../cached.ts'
import { CloudError } from '../cloud-error.ts'
import type { CloudPorts } from '../cloud-ports.ts'
import { requestJson } from '../send-request.ts'
import { signedJwt } from '../signed-jwt.ts'
import type { AuthorizedUser, GcpCredentials, ServiceAccountKey } from './credentials.ts'
import { federatedToken, type SubjectTokens } from './federated-token.ts'
import { cloudPlatformScope, type GcpIdentity } from './identity.ts'
import { tokenIn } from './token-response.ts'

const tokenUrl = 'https://oauth2.googleapis.com/token'

/**
 * The identity in a credentials file. External accounts need `subjectTokens`, which only the identity of this process has: their files and
 * addresses are those of the machine. Fails with CloudError.
 */
export const credentialsIdentity = (
  ports: CloudPorts,
  credentials: GcpCredentials,
  subjectTokens?: SubjectTokens,
): GcpIdentity => {
  const obtain = async () => {
    if (credentials.type === 'external_account') {
      const { source, audience } = credentials
      if (subjectTokens) return federatedToken(ports, credentials, () => subjectTokens(source, audience))
      throw new CloudError(
        'GCP',
        'credentials of type external_account only work as the default of this process, not in a Secret',
      )
    }
    const requestedAt = ports.clock.now()
    const grant =
      credentials.type === 'service_account' ? jwtGrant(credentials, requestedAt) : refreshGrant(credentials)
    const who = credentials.type === 'service_account' ? credentials.email : 'an authorized user'
    const response = await requestJson(ports.fetch, {
      service: 'GCP',
      what: `token of ${who}`,
      url: tokenUrl,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(grant).toString(),
    })
    return tokenIn(response, requestedAt)
  }
  const token = cached(obtain, ports.clock.now)
  return (_destination, signal) => token(signal)
}

const jwtGrant = ({ key, keyId, email }: ServiceAccountKey, requestedAt: number): Record<string, string> => {
  const now = Math.floor(requestedAt / 1000)
  const claims = { iss: email, scope: cloudPlatformScope, aud: tokenUrl, iat: now, exp: now + 3600 }
  return {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: signedJwt(key, { alg: 'RS256', ...(keyId && { kid: keyId }) }, claims),
  }
}

const refreshGrant = ({ clientId, clientSecret, refreshToken }: AuthorizedUser): Record<string, string> => ({
  grant_type: 'refresh_token',
  client_id: clientId,
  client_secret: clientSecret,
  refresh_token: refreshToken,
})
