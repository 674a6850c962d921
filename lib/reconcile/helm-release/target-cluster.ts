import type { ClusterClient } from '../../clusters/client/client.ts'
import { kubeconfigOf } from '../../clusters/client/kubeconfig-secret.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { actingAccount, impersonationOf } from '../../hub/references/acting-account.ts'
import { configMapKind, secretKind } from '../../hub/references/references.ts'
import type { Context } from './context.ts'
import { namespaceOf } from './names.ts'

/** The Secret or ConfigMap that says how to reach the cluster is not there. */
export class AccessMissing extends Error {}

/**
 * The cluster that a release is on, as the identity that it is worked on as (HR-040, HR-041). The Secret is read anew each time, so that
 * a rotated token counts at once. Fails with an error that names the Secret and the key, never their content.
 */
export const targetCluster = async (
  release: HelmRelease,
  { references, clusters, hubCluster, settings }: Context,
): Promise<ClusterClient> => {
  const impersonate = impersonationOf(actingAccount(release, settings))
  const { kubeConfig } = release.spec
  if (!kubeConfig) return hubCluster(impersonate)
  const namespace = namespaceOf(release)
  const { secretRef, configMapRef } = kubeConfig
  if (configMapRef) {
    const configMap = await references.local(release, configMapKind, configMapRef.name)
    if (!configMap)
      throw new AccessMissing(
        `failed to get configmap ${namespace}/${configMapRef.name}: configmaps "${configMapRef.name}" not found`,
      )
    return clusters.fromConfigMap(configMap, impersonate)
  }
  if (!secretRef) throw new Error('spec.kubeConfig names neither a Secret nor a ConfigMap')
  const secret = await references.local(release, secretKind, secretRef.name)
  if (!secret)
    throw new AccessMissing(
      `could not get KubeConfig secret '${namespace}/${secretRef.name}': secrets "${secretRef.name}" not found`,
    )
  return clusters.fromKubeconfig(kubeconfigOf(secret, secretRef.key), impersonate)
}
