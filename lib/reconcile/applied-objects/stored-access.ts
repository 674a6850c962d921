import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Clusters } from '../../clusters/client/clusters.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import { kubeconfigOf } from '../../clusters/client/kubeconfig-secret.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { configMapKind, namespaceOf, type References, secretKind } from '../../hub/references/references.ts'

/** The reference to a cluster's access, as in spec.kubeConfig. */
export interface KubeConfigReference {
  readonly secretRef?: { readonly name: string; readonly key?: string }
  readonly configMapRef?: { readonly name: string }
}

/** The access to a cluster as the hub stores it. Contains secrets: never log it. */
export interface StoredAccess {
  /** The Secret or ConfigMap. */
  readonly object: KubernetesObject
  /** The Secret's kubeconfig; absent for a ConfigMap. */
  readonly kubeconfig?: string
}

/**
 * Reads what `spec.kubeConfig` names, each time, so that a rotated token takes effect at once (KS-219). Errors name the object and the key,
 * never their content.
 */
export const readAccess = async (
  references: References,
  referrer: KubernetesObject,
  { secretRef, configMapRef }: KubeConfigReference,
): Promise<StoredAccess> => {
  const namespace = namespaceOf(referrer)
  if (configMapRef) {
    const { name } = configMapRef
    return accessOf(await references.local(referrer, configMapKind, name), { kind: 'ConfigMap', namespace, name })
  }
  if (!secretRef) throw new Error('spec.kubeConfig names neither a Secret nor a ConfigMap')
  const { name, key } = secretRef
  return accessOf(await references.local(referrer, secretKind, name), { kind: 'Secret', namespace, name }, key)
}

/** The access in the object that a reference names. */
export const accessOf = (
  object: KubernetesObject | undefined,
  { kind, namespace, name }: TargetReference,
  key?: string,
): StoredAccess => {
  if (object) return kind === 'Secret' ? { object, kubeconfig: kubeconfigOf(object, key) } : { object }
  throw new Error(
    kind === 'Secret'
      ? `unable to read KubeConfig secret '${namespace}/${name}' error: secrets "${name}" not found`
      : `failed to get configmap ${namespace}/${name}: configmaps "${name}" not found`,
  )
}

/** A client that acts as the identity of the access unless another is named. Fails with a KubeconfigError. */
export const clientOf = (
  clusters: Pick<Clusters, 'fromKubeconfig' | 'fromConfigMap'>,
  { object, kubeconfig }: StoredAccess,
  impersonate?: Impersonation,
): ClusterClient | Promise<ClusterClient> =>
  kubeconfig === undefined
    ? clusters.fromConfigMap(object, impersonate)
    : clusters.fromKubeconfig(kubeconfig, impersonate)
