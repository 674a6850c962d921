import { RecentlyUsed } from '../foundations/budget/recently-used.ts'
import { type Account, type AccountIdentityPorts, accountIdentities } from '../platform/cloud/account-identities.ts'
import type { AwsIdentity } from '../platform/cloud/aws/credentials.ts'
import type { AzureIdentity } from '../platform/cloud/azure/identity.ts'
import type { GcpIdentity } from '../platform/cloud/gcp/identity.ts'
import { type CloudLogin, cloudLogin } from './oci/cloud-login.ts'

/** The identities and logins with which a source is fetched from clouds; an identity is absent if there is none. */
export interface CloudAccess {
  readonly aws?: AwsIdentity
  readonly azure?: AzureIdentity
  readonly gcp?: GcpIdentity
  /** Logs in to registries. */
  readonly login: CloudLogin
}

const maxAccounts = 1000

/**
 * The cloud access of ServiceAccounts. Cached until the annotations of an account change, so that an unchanged source
 * makes no request to a token service; `uid` distinguishes an account from an earlier one of the same name.
 */
export const accountCloudAccess = (ports: AccountIdentityPorts): ((account: Account, uid: string) => CloudAccess) => {
  const known = new RecentlyUsed<CloudAccess>(maxAccounts)
  return (account, uid) => {
    const key = JSON.stringify([uid, account.namespace, account.name, account.annotations])
    return known.getOrMake(key, () => {
      const identities = accountIdentities(account, ports)
      return { ...identities, login: cloudLogin(identities, ports.cloud) }
    })
  }
}
