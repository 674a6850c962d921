import { type References, serviceAccountKind } from '../../hub/references/references.ts'
import type { Account } from '../../platform/cloud/account-identities.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { CloudAccess } from '../../sources/cloud-access.ts'
import { type CloudProvider, cloudServices } from '../../sources/oci/cloud-login.ts'

export interface CloudAccessPorts {
  readonly references: References
  /** Of this process. */
  readonly own: CloudAccess
  /** Of ServiceAccounts; absent where no cloud is reached as one. */
  readonly accounts?: ((account: Account, uid: string) => CloudAccess) | undefined
  /** Let objects name the ServiceAccount that clouds see (feature gate `ObjectLevelWorkloadIdentity`). */
  readonly objectLevelWorkloadIdentity: boolean
}

/** An object names a ServiceAccount for clouds, and the operator does not let it. The message is Flux's. */
export class FeatureGateDisabled extends Error {
  constructor() {
    super(
      'to use spec.serviceAccountName for provider authentication please enable the ObjectLevelWorkloadIdentity feature gate in the controller',
    )
    this.name = 'FeatureGateDisabled'
  }
}

interface Asking {
  readonly metadata: { readonly namespace?: string }
  readonly spec: { readonly serviceAccountName?: string }
}

/**
 * Who an object is to the cloud of its provider: the ServiceAccount that it names, or this process. Fails with
 * FeatureGateDisabled, or with CloudError when there is no such account.
 */
export type CloudAccessOf = (object: Asking, provider: CloudProvider) => Promise<CloudAccess>

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
    if (!accounts) throw new CloudError(cloudServices[provider], `${failed}: this hub reaches no cloud as one`)
    const { annotations = {}, uid = '' } = found.metadata
    return accounts({ namespace, name, annotations }, uid)
  }
