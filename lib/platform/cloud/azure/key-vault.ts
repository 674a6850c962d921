import { CloudError } from '../cloud-error.ts'
import type { CloudPorts } from '../cloud-ports.ts'
import { requestJson, sendRequest, textOr } from '../send-request.ts'
import { azureVaults, destinationNamedBy, tokenDestination } from '../token-destination.ts'
import type { AzureIdentity } from './identity.ts'

export interface KeyVaultCiphertext {
  /** `https://<vault>.vault.azure.net` */
  readonly vaultUrl: string
  readonly name: string
  readonly version: string
  /** Base64url. */
  readonly ciphertext: string
  readonly signal?: AbortSignal
}

/** Azure Key Vault decrypt with RSA-OAEP-256. Fails with CloudError. */
export const keyVaultDecrypt = async (
  { fetch }: Pick<CloudPorts, 'fetch'>,
  identity: AzureIdentity,
  { vaultUrl, name, version, ciphertext, signal }: KeyVaultCiphertext,
): Promise<Uint8Array> => {
  const vault = URL.parse(vaultUrl)
  if (vault?.protocol !== 'https:')
    throw new CloudError('Azure', `not the address of a key vault: ${JSON.stringify(vaultUrl)}`)
  const path = [name, version].map(encodeURIComponent).join('/')
  const request = {
    service: 'Azure' as const,
    what: 'decrypt',
    url: `${vault.origin}/keys/${path}/decrypt?api-version=7.4`,
    method: 'POST' as const,
    signal,
  }
  const known = knownResource(vault.hostname)
  const resource = known ?? (await challengedResource(fetch, request, vault.hostname))
  const destination = known ? tokenDestination(azureVaults, vault) : destinationNamedBy('its own audience', vault)
  const { token } = await identity({ resource, destination, signal })
  const response = await requestJson(fetch, {
    ...request,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ alg: 'RSA-OAEP-256', value: ciphertext }),
  })
  const value = textOr(response.value)
  if (value) return Buffer.from(value, 'base64url')
  throw new CloudError('Azure', 'decrypt: the response has no value')
}

const knownResource = (host: string): string | undefined => {
  const domain = azureVaults.hosts.find(each => host.endsWith(each))
  return domain && `https://${domain.slice(1)}`
}

type Request = Parameters<typeof sendRequest>[1]

/**
 * Requests the audience of tokens from a vault outside the known domains. Accepts only a parent domain of the vault:
 * the author of an encrypted file names the vault, which must not receive a token that is valid elsewhere.
 */
const challengedResource = async (fetch: CloudPorts['fetch'], request: Request, host: string): Promise<string> => {
  const headers = { 'content-type': 'application/json' }
  const challenge = (await sendRequest(fetch, { ...request, headers, body: '' })).headers.get('www-authenticate') ?? ''
  const [, said = ''] = /(?:resource|scope)="([^"]+)"/.exec(challenge) ?? []
  const resource = URL.parse(said.replace(/\/\.default$/, ''))
  if (resource && host.endsWith(`.${resource.hostname}`)) return resource.origin
  throw new CloudError('Azure', `decrypt: ${host} names no audience of its own domain, so no token is sent to it`)
}
