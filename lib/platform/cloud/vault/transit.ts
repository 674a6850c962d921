import { isObject } from '../../../foundations/kinds/json-object.ts'
import { CloudError } from '../cloud-error.ts'
import type { CloudPorts } from '../cloud-ports.ts'
import { requestJson, textOr } from '../send-request.ts'

export interface TransitCiphertext {
  /** The server, in the form of VAULT_ADDR. */
  readonly address: string
  /** Mount path of the transit engine. */
  readonly enginePath: string
  readonly keyName: string
  /** `vault:v1:...` */
  readonly ciphertext: string
  readonly token: string
  /** Namespace of Vault Enterprise and HCP. */
  readonly namespace?: string
  readonly signal?: AbortSignal
}

/** Decrypts with the transit engine of HashiCorp Vault or OpenBao. Fails with CloudError. */
export const transitDecrypt = async (
  { fetch }: Pick<CloudPorts, 'fetch'>,
  { address, enginePath, keyName, ciphertext, token, namespace, signal }: TransitCiphertext,
): Promise<Uint8Array> => {
  const response = await requestJson(fetch, {
    service: 'Vault',
    what: 'decrypt',
    url: vaultUrl(address, `${enginePath}/decrypt/${keyName}`),
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      'x-vault-request': 'true',
      'x-vault-token': token,
      ...(namespace && { 'x-vault-namespace': namespace }),
    },
    body: JSON.stringify({ ciphertext }),
    signal,
  })
  const plaintext = isObject(response.data) ? textOr(response.data.plaintext) : undefined
  if (plaintext) return Buffer.from(plaintext, 'base64')
  throw new CloudError('Vault', 'decrypt: the response has no plaintext')
}

/** The URL of an API path. Fails with CloudError if the path would leave the API. */
export const vaultUrl = (address: string, path: string): string => {
  const base = URL.parse(address)
  if (!base || !/^https?:$/.test(base.protocol)) {
    throw new CloudError('Vault', `not the address of a Vault server: ${JSON.stringify(address)}`)
  }
  const parts = path.split('/').filter(Boolean)
  if (parts.length === 0 || !parts.every(part => /^[\w.@ -]+$/.test(part) && !/^\.+$/.test(part))) {
    throw new CloudError('Vault', `not a path of the API: ${JSON.stringify(path)}`)
  }
  return `${base.origin}${base.pathname.replace(/\/+$/, '')}/v1/${parts.map(encodeURIComponent).join('/')}`
}
