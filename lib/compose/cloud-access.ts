import type { ServiceAccountTokens } from '../hub/apiserver/identity/service-account-tokens.ts'
import { createReferences } from '../hub/references/references.ts'
import type { Hub } from '../hub/store/hub.ts'
import type { AccountIdentityPorts } from '../platform/cloud/account-identities.ts'
import { CloudError } from '../platform/cloud/cloud-error.ts'
import { type CloudAccessOf, cloudAccessOf } from '../reconcile/source-artifact/cloud-access-of.ts'
import { accountCloudAccess, type CloudAccess } from '../sources/cloud-access.ts'
import { type CloudLogin, cloudServices } from '../sources/oci/cloud-login.ts'
import { withAccountTokens } from './account-tokens.ts'

export interface CloudAccessPorts {
  readonly hub: Pick<Hub, 'get' | 'list'>
  /** How registries of clouds are logged in to; absent where this process has no identity in any cloud. */
  readonly login?: CloudLogin
  /** Who this process is to clouds. */
  readonly identities?: Omit<CloudAccess, 'login'>
  /** How ServiceAccounts come to identities of their own; absent where no cloud is reached as one. */
  readonly accounts?: AccountIdentityPorts
  /** Of ServiceAccounts. */
  readonly tokens?: Pick<ServiceAccountTokens, 'issue'>
}

export interface CloudAccessSettings {
  readonly objectLevelWorkloadIdentity: boolean
  readonly tokenIssuer?: string | undefined
}

/** Who objects are to clouds: this process, or the ServiceAccounts that they name. */
export const composeCloudAccess = (
  { hub, login = noLogin, identities = {}, accounts, tokens }: CloudAccessPorts,
  settings: CloudAccessSettings,
): CloudAccessOf => {
  const asAccounts = withAccountTokens(accounts, tokens, settings)
  const { objectLevelWorkloadIdentity } = settings
  return cloudAccessOf({
    ...{ references: createReferences(hub), objectLevelWorkloadIdentity, own: { ...identities, login } },
    ...(asAccounts && { accounts: accountCloudAccess(asAccounts) }),
  })
}

export const noLogin: CloudLogin = async provider => {
  throw new CloudError(cloudServices[provider], `this hub has no ${cloudServices[provider]} identity`)
}
