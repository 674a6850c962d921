import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import {
  type Account,
  type AccountIdentityPorts,
  type AccountName,
  accountIdentities,
  describeAccount,
  tokenFor,
} from '../../../platform/cloud/account-identities.ts'
import { CloudError } from '../../../platform/cloud/cloud-error.ts'
import { vaultLogin } from '../../../platform/cloud/vault/login.ts'
import type { SecretlessIdentities, VaultCredential } from './secretless-identities.ts'

export interface ServiceAccountPorts extends Omit<AccountIdentityPorts, 'ownAws'> {
  /** The hub's own identities. */
  readonly own: Pick<SecretlessIdentities, 'aws'>
  /** Login paths of the allowed Vault servers, by address. */
  readonly vaultLogins: () => Promise<ReadonlyMap<string, string>>
}

/** The identities of a ServiceAccount: those in its annotations for clouds, and itself for Vault (KS-258). */
export const serviceAccountIdentities = (
  object: KubernetesObject,
  ports: ServiceAccountPorts,
): SecretlessIdentities => {
  const { namespace = '', name, annotations = {} } = object.metadata
  const account: Account = { namespace, name, annotations }
  const { aws, azure, gcp } = accountIdentities(account, { ...ports, ownAws: () => ports.own.aws()() })
  return {
    aws: () => aws,
    azure,
    azureManaged: () => async () => {
      throw new CloudError(
        'Azure',
        `managed identities are not available to ServiceAccounts: ${describeAccount(account)}`,
      )
    },
    gcp,
    vault: (address, signal) => vaultToken(account, address, ports, signal),
  }
}

/** Logs in only to servers that the operator has listed (KS-260). */
const vaultToken = async (
  account: AccountName,
  address: string,
  ports: ServiceAccountPorts,
  signal?: AbortSignal,
): Promise<VaultCredential> => {
  const loginPath = (await ports.vaultLogins()).get(address)
  if (!loginPath) {
    throw new CloudError(
      'Vault',
      `no login path is configured for address ${JSON.stringify(address)} (--sops-vault-configmap)`,
    )
  }
  const jwt = await tokenFor('Vault', account, address, ports)
  const role = `${account.namespace}_${account.name}`
  return { token: await vaultLogin(ports.cloud, { address, loginPath, role, jwt, signal }) }
}
