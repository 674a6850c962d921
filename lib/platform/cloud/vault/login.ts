import { isObject } from '../../../foundations/kinds/json-object.ts'
import { CloudError } from '../cloud-error.ts'
import type { CloudPorts } from '../cloud-ports.ts'
import { requestJson, textOr } from '../send-request.ts'
import { vaultUrl } from './transit.ts'

export interface VaultLogin {
  readonly address: string
  /** Login path of an auth method that accepts JSON Web Tokens: `auth/kubernetes/login`. */
  readonly loginPath: string
  readonly role: string
  readonly jwt: string
  readonly signal?: AbortSignal
}

/** Exchanges a ServiceAccount's token for a Vault token. Fails with CloudError. */
export const vaultLogin = async (
  { fetch }: Pick<CloudPorts, 'fetch'>,
  { address, loginPath, role, jwt, signal }: VaultLogin,
): Promise<string> => {
  const what = `login at ${loginPath} as role ${role}`
  const response = await requestJson(fetch, {
    service: 'Vault',
    what,
    url: vaultUrl(address, loginPath),
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-vault-request': 'true' },
    body: JSON.stringify({ role, jwt }),
    signal,
  })
  const token = isObject(response.auth) ? textOr(response.auth.client_token) : undefined
  if (token) return token
  throw new CloudError('Vault', `${what}: the response has no token`)
}
