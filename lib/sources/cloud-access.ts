import { type Account, type AccountIdentityPorts, accountIdentities } from '../platform/cloud/account-identities.ts'
import type { AwsIdentity } from '../platform/cloud/aws/credentials.ts'
import type { AzureIdentity } from '../platform/cloud/azure/identity.ts'
import type { GcpIdentity } from '../platform/cloud/gcp/identity.ts'
import { type CloudLogin, cloudLogin } from './oci/cloud-login.ts'

/** Who somebody is to clouds, for what is fetched there; an identity is absent where there is none. */
export interface CloudAccess {
  readonly aws?: AwsIdentity
  readonly azure?: AzureIdentity
  readonly gcp?: GcpIdentity
  /** To registries. */
  readonly login: CloudLogin
}

const maxAccounts = 1000

/**
 * Who ServiceAccounts are to clouds. It is kept as long as an account is annotated as it was, so that an unchanged source costs
 * nothing at token services; `uid` tells an account from another of its name.
 */
export const accountsAccess = (ports: AccountIdentityPorts): ((account: Account, uid: string) => CloudAccess) => {
  const known = new Map<string, CloudAccess>()
  return (account, uid) => {
    const key = JSON.stringify([uid, account.namespace, account.name, account.annotations])
    const identities = accountIdentities(account, ports)
    const access = known.get(key) ?? { ...identities, login: cloudLogin(identities, ports.cloud) }
    known.delete(key)
    known.set(key, access)
    if (known.size > maxAccounts) known.delete(known.keys().next().value!)
    return access
  }
}
