import { CloudError } from '../cloud-error.ts'
import type { Environment } from '../cloud-ports.ts'

/** A Vault token of this process. */
export interface OwnVault {
  /**
   * The token for a server. Authors of encrypted files name the server, so the token is only sent where the operator allows: to VAULT_ADDR, and to
   * the prefixes in SOPS_HC_VAULT_ALLOWLIST (`all` for any). Fails with CloudError.
   */
  tokenFor(address: string): string
  readonly namespace?: string
}

/** VAULT_TOKEN, with VAULT_NAMESPACE. */
export const ambientVault = (environment: Environment): OwnVault =>
  ownVault(environment, environment.VAULT_TOKEN, 'VAULT_TOKEN')

/** The same with another token, which messages call `name`. */
export const ownVault = (environment: Environment, token: string | undefined, name: string): OwnVault => {
  const { VAULT_ADDR: own, VAULT_NAMESPACE: namespace } = environment
  const allowed = environment.SOPS_HC_VAULT_ALLOWLIST?.split(',').map(entry => entry.trim()) ?? []
  return {
    tokenFor: address => {
      if (!token) throw new CloudError('Vault', `no token: ${name} is not set`)
      if (allowed.includes('all') || [own, ...allowed].some(entry => entry && isBelow(address, entry))) return token
      throw new CloudError(
        'Vault',
        `${name} is not sent to ${JSON.stringify(address)}: it is neither VAULT_ADDR nor in SOPS_HC_VAULT_ALLOWLIST`,
      )
    },
    ...(namespace && { namespace }),
  }
}

const isBelow = (address: string, prefix: string): boolean => withSlash(address).startsWith(withSlash(prefix))

const withSlash = (address: string): string => (address.endsWith('/') ? address : `${address}/`)
