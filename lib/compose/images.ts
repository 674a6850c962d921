import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { ServiceAccountTokens } from '../hub/apiserver/identity/service-account-tokens.ts'
import { createReferences, type ReferenceReader } from '../hub/references/references.ts'
import { imagePolicyReconciler } from '../reconcile/image-policy/image-policy.ts'
import { imageRepositoryReconciler } from '../reconcile/image-repository/image-repository.ts'
import { tagLists } from '../reconcile/image-repository/tag-lists.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { ociClient } from '../sources/oci/oci-client.ts'
import { composeCloudAccess } from './cloud-access.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** The reconcilers that scan images and choose their latest tags. */
export const composeImages = (
  ports: Pick<Ports, 'artifacts' | 'clock' | 'connections' | 'login' | 'identities' | 'accounts'>,
  settings: Pick<
    CoreSettings,
    'noCrossNamespaceRefs' | 'requeueDependencyMs' | 'objectLevelWorkloadIdentity' | 'tokenIssuer'
  >,
  { hub, tokens }: { readonly hub: ReferenceReader; readonly tokens?: ServiceAccountTokens },
): readonly Reconciler<KubernetesObject>[] => {
  const { clock, connections, artifacts } = ports
  const images = {
    references: createReferences(hub),
    cloudAccess: composeCloudAccess({ ...ports, hub, ...(tokens && { tokens }) }, settings),
    oci: ociClient(clock, connections),
    tags: tagLists(artifacts),
    clock,
  }
  return [imageRepositoryReconciler(images), imagePolicyReconciler(images, settings)]
}
