import type { AmbientIdentities } from '../../../platform/cloud/ambient-identities.ts'
import type { AwsIdentity } from '../../../platform/cloud/aws/credentials.ts'
import type { AzureIdentity } from '../../../platform/cloud/azure/identity.ts'
import { CloudError, type CloudService } from '../../../platform/cloud/cloud-error.ts'
import type { GcpIdentity } from '../../../platform/cloud/gcp/identity.ts'
import type { OwnVault } from '../../../platform/cloud/vault/own-vault.ts'

/** The identities for key services without credentials in the key Secret. */
export interface SecretlessIdentities {
  /** `profile` is from the encrypted file. */
  aws(profile?: string): AwsIdentity
  readonly azure: AzureIdentity
  azureManaged(clientId: string): AzureIdentity
  readonly gcp: GcpIdentity
  /** Requests a token for a Vault server. */
  vault(address: string, signal?: AbortSignal): Promise<VaultCredential>
}

export interface VaultCredential {
  readonly token: string
  readonly namespace?: string
}

/** The identities of this process, from its environment and files (KS-262 to KS-268). */
export const processIdentities = (own: AmbientIdentities): SecretlessIdentities => ({
  aws: profile => (profile ? own.awsProfile(profile) : own.aws),
  azure: own.azure,
  azureManaged: own.azureManaged,
  gcp: own.gcp,
  vault: vaultIdentity(own.vault),
})

/**
 * The operator's token for the Vault servers that it may be sent to. The promise fails with CloudError for others:
 * authors of encrypted files name the server.
 */
export const vaultIdentity =
  (own: OwnVault): SecretlessIdentities['vault'] =>
  async address => {
    const { namespace } = own
    return { token: own.tokenFor(address), ...(namespace && { namespace }) }
  }

/** No identities: for hubs without cloud access, such as in tests. */
export const noIdentities: SecretlessIdentities = {
  aws: () => () => noIdentity('AWS'),
  azure: () => noIdentity('Azure'),
  azureManaged: () => () => noIdentity('Azure'),
  gcp: () => noIdentity('GCP'),
  vault: () => noIdentity('Vault'),
}

const noIdentity = async (service: CloudService): Promise<never> => {
  throw new CloudError(service, 'no credentials in the key Secret, and this hub has no identity of its own')
}
