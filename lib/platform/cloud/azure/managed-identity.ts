import type { AccessToken } from '../access-token.ts'
import { CloudError } from '../cloud-error.ts'
import type { AmbientPorts } from '../cloud-ports.ts'
import { requestJson, textOr } from '../send-request.ts'
import { cachedByResource } from './cached-by-resource.ts'
import type { AzureIdentity } from './identity.ts'

const metadataUrl = 'http://169.254.169.254/metadata/identity/oauth2/token'

/**
 * The managed identity of the machine (or App Service) that this process runs on; `clientId` selects one of several. Fails with CloudError if the
 * metadata service is not enabled.
 */
export const managedIdentity = (ports: AmbientPorts, clientId?: string): AzureIdentity =>
  cachedByResource(async (resource): Promise<AccessToken> => {
    const { environment, metadataFetch, clock } = ports
    if (!metadataFetch) {
      throw new CloudError(
        'Azure',
        'managed identities come from the metadata service of the machine, which is not enabled',
      )
    }
    const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: secret } = environment
    const isAppService = endpoint && secret
    const url = new URL(isAppService ? endpoint : metadataUrl)
    url.searchParams.set('api-version', isAppService ? '2019-08-01' : '2018-02-01')
    url.searchParams.set('resource', resource)
    if (clientId) url.searchParams.set('client_id', clientId)
    const requestedAt = clock.now()
    const response = await requestJson(metadataFetch, {
      service: 'Azure',
      what: `token of ${clientId ? `managed identity ${clientId}` : 'the managed identity'}`,
      url: url.href,
      headers: isAppService ? { 'x-identity-header': secret } : { metadata: 'true' },
      timeoutMs: 5_000,
    })
    const token = textOr(response.access_token)
    if (!token) throw new CloudError('Azure', 'the response of the metadata service has no access token')
    return { token, expiresAt: expiryOf(response, requestedAt) }
  }, ports.clock.now)

/** `expires_on` is in seconds since the epoch, `expires_in` in seconds from now; both may be text. */
const expiryOf = (response: Readonly<Record<string, unknown>>, requestedAt: number): number => {
  const at = Number(response.expires_on)
  return at > 0 ? at * 1000 : requestedAt + (Number(response.expires_in) || 300) * 1000
}
