import type { ServiceAccountTokens } from '../hub/apiserver/identity/service-account-tokens.ts'
import { createReferences, type ReferenceReader } from '../hub/references/references.ts'
import type { AccountIdentityPorts } from '../platform/cloud/account-identities.ts'
import { CloudError } from '../platform/cloud/cloud-error.ts'
import { type CloudAccessOf, cloudAccessOf } from '../reconcile/source-artifact/cloud-access-of.ts'
import { accountCloudAccess, type CloudAccess } from '../sources/cloud-access.ts'
import { type CloudLogin, cloudServices } from '../sources/oci/cloud-login.ts'
import { withAccountTokens } from './account-tokens.ts'

export interface CloudAccessPorts {
  readonly hub: ReferenceReader
  /** How to log in to clouds' registries; absent if this process has no cloud identity. */
  readonly login?: CloudLogin
  /** This process's cloud identities. */
  readonly identities?: Omit<CloudAccess, 'login'>
  /** How ServiceAccounts get identities of their own; absent if clouds are not accessed as them. */
  readonly accounts?: AccountIdentityPorts
  /** Of ServiceAccounts. */
  readonly tokens?: Pick<ServiceAccountTokens, 'issue'>
}

export interface CloudAccessSettings {
  readonly objectLevelWorkloadIdentity: boolean
  readonly tokenIssuer?: string | undefined
}

/** The cloud identities of objects: this process's, or those of the ServiceAccounts that they name. */
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

/** For a hub that runs without the identity of a cloud: throws CloudError, which says so. */
export const noLogin: CloudLogin = async provider => {
  throw new CloudError(cloudServices[provider], `this hub has no ${cloudServices[provider]} identity`)
}
