import type { KeyServices } from '../../../engines/sops/data-key.ts'
import { ageService } from '../../../engines/sops/keys/age-identities.ts'
import type { AwsIdentity } from '../../../platform/cloud/aws/credentials.ts'
import { kmsDecrypt } from '../../../platform/cloud/aws/kms.ts'
import { clientCertificateIdentity, clientSecretIdentity } from '../../../platform/cloud/azure/entra-identity.ts'
import type { AzureIdentity } from '../../../platform/cloud/azure/identity.ts'
import { keyVaultDecrypt } from '../../../platform/cloud/azure/key-vault.ts'
import type { CloudPorts, Environment } from '../../../platform/cloud/cloud-ports.ts'
import { credentialsIdentity } from '../../../platform/cloud/gcp/credentials-identity.ts'
import { gcpKmsDecrypt } from '../../../platform/cloud/gcp/kms.ts'
import { transitDecrypt } from '../../../platform/cloud/vault/transit.ts'
import type { OpenPgp } from '../../../platform/ports/open-pgp.ts'
import type { AzureCredentials } from './azure-credentials.ts'
import type { DecryptionKeys } from './decryption-keys.ts'
import type { SecretlessIdentities } from './secretless-identities.ts'

export interface KeyServicePorts {
  readonly cloud: CloudPorts & { readonly environment?: Environment }
  readonly identities: SecretlessIdentities
  readonly openPgp: Pick<OpenPgp, 'decrypt'>
}

/**
 * The services that decrypt data keys for one Kustomization. Per service, the object's own keys take precedence over
 * other identities (KS-259, KS-269).
 */
export const keyServices = async (
  keys: DecryptionKeys,
  { cloud, identities, openPgp }: KeyServicePorts,
): Promise<KeyServices> => {
  const azure = keys.azure ? azureIdentity(keys.azure, cloud, identities) : identities.azure
  const gcp = keys.gcp ? credentialsIdentity(cloud, keys.gcp) : identities.gcp
  return {
    ...(keys.age.length > 0 && { age: await ageService(keys.age) }),
    ...(keys.pgp.length > 0 && { pgp: ({ encrypted }) => openPgp.decrypt(encrypted, keys.pgp) }),
    kms: ({ arn, encrypted, context, role, profile }, signal) => {
      const own = keys.aws
      const identity: AwsIdentity = own ? async () => own : identities.aws(profile)
      return kmsDecrypt(cloud, identity, { arn, ciphertext: encrypted, context, role, signal })
    },
    azure_kv: ({ vaultUrl, name, version, encrypted }, signal) =>
      keyVaultDecrypt(cloud, azure, { vaultUrl, name, version, ciphertext: encrypted, signal }),
    gcp_kms: ({ resourceId, encrypted }, signal) =>
      gcpKmsDecrypt(cloud, gcp, { resourceId, ciphertext: encrypted, signal }),
    hc_vault: async ({ address, enginePath, keyName, encrypted }, signal) => {
      const token = keys.vaultToken ? { token: keys.vaultToken } : await identities.vault(address, signal)
      return transitDecrypt(cloud, { address, enginePath, keyName, ciphertext: encrypted, ...token, signal })
    },
  }
}

const azureIdentity = (
  credentials: AzureCredentials,
  cloud: CloudPorts,
  identities: Pick<SecretlessIdentities, 'azureManaged'>,
): AzureIdentity => {
  switch (credentials.type) {
    case 'secret':
      return clientSecretIdentity(cloud, credentials)
    case 'certificate':
      return clientCertificateIdentity(cloud, credentials)
    case 'managed':
      return identities.azureManaged(credentials.clientId)
  }
}
