import { type References, serviceAccountKind } from '../../hub/references/references.ts'
import type { Account } from '../../platform/cloud/account-identities.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { CloudAccess } from '../../sources/cloud-access.ts'
import { type CloudProvider, cloudServices } from '../../sources/oci/cloud-login.ts'

export interface CloudAccessPorts {
  readonly references: References
  /** The hub's own access. */
  readonly own: CloudAccess
  /** The access of ServiceAccounts; absent if the hub can't act as one. */
  readonly accounts?: ((account: Account, uid: string) => CloudAccess) | undefined
  /** Allow objects to name the ServiceAccount for clouds (feature gate `ObjectLevelWorkloadIdentity`). */
  readonly objectLevelWorkloadIdentity: boolean
}

/** An object names a ServiceAccount for clouds, but the feature gate is off. The message is Flux's. */
export class FeatureGateDisabled extends Error {
  constructor() {
    super(
      'to use spec.serviceAccountName for provider authentication please enable the ObjectLevelWorkloadIdentity feature gate in the controller',
    )
    this.name = 'FeatureGateDisabled'
  }
}

interface CloudUser {
  readonly metadata: { readonly namespace?: string }
  readonly spec: { readonly serviceAccountName?: string }
}

/**
 * The cloud access of an object: that of its ServiceAccount, or the hub's own. Fails with FeatureGateDisabled, or with
 * CloudError if the account does not exist.
 */
export type CloudAccessOf = (object: CloudUser, provider: CloudProvider) => Promise<CloudAccess>

/** Finds accounts in the object's own namespace, and uses the access of each on its own. */
export const cloudAccessOf =
  ({ references, own, accounts, objectLevelWorkloadIdentity }: CloudAccessPorts): CloudAccessOf =>
  async (object, provider) => {
    const { serviceAccountName: name } = object.spec
    if (!name) return own
    if (!objectLevelWorkloadIdentity) throw new FeatureGateDisabled()
    const { namespace = '' } = object.metadata
    const found = await references.local(object, serviceAccountKind, name)
    const failed = `failed to get service account '${namespace}/${name}'`
    if (!found) throw new CloudError(cloudServices[provider], `${failed}: serviceaccounts "${name}" not found`)
    if (!accounts)
      throw new CloudError(cloudServices[provider], `${failed}: this hub can't act as a ServiceAccount in clouds`)
    const { annotations = {}, uid = '' } = found.metadata
    return accounts({ namespace, name, annotations }, uid)
  }
