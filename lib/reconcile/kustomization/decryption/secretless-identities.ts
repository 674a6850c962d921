import type { AmbientIdentities } from '../../../platform/cloud/ambient-identities.ts'
import type { AwsIdentity } from '../../../platform/cloud/aws/credentials.ts'
import type { AzureIdentity } from '../../../platform/cloud/azure/identity.ts'
import { CloudError, type CloudService } from '../../../platform/cloud/cloud-error.ts'
import type { GcpIdentity } from '../../../platform/cloud/gcp/identity.ts'

/** Whom key services see where the keys of an object hold nothing for them. */
export interface SecretlessIdentities {
  /** `profile` is what the encrypted file names. */
  aws(profile?: string): AwsIdentity
  readonly azure: AzureIdentity
  azureManaged(clientId: string): AzureIdentity
  readonly gcp: GcpIdentity
  /** A token for a Vault server. */
  vault(address: string, signal?: AbortSignal): Promise<VaultCredential>
}

export interface VaultCredential {
  readonly token: string
  readonly namespace?: string
}

/** This process itself: what its environment and files hold (KS-262 to KS-268). */
export const identitiesOfProcess = (own: AmbientIdentities): SecretlessIdentities => ({
  aws: profile => (profile ? own.awsProfile(profile) : own.aws),
  azure: own.azure,
  azureManaged: own.azureManaged,
  gcp: own.gcp,
  vault: async address => {
    const { namespace } = own.vault
    return { token: own.vault.tokenFor(address), ...(namespace && { namespace }) }
  },
})

/** Nobody: where no cloud was set up, as in tests. */
export const noIdentities: SecretlessIdentities = {
  aws: () => () => nobody('AWS'),
  azure: () => nobody('Azure'),
  azureManaged: () => () => nobody('Azure'),
  gcp: () => nobody('GCP'),
  vault: () => nobody('Vault'),
}

const nobody = async (service: CloudService): Promise<never> => {
  throw new CloudError(service, 'no credentials in the key Secret, and no identity of our own')
}
