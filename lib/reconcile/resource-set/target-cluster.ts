import type { ClusterClient } from '../../clusters/client/client.ts'
import { kubeconfigOf } from '../../clusters/client/kubeconfig-secret.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { type OnClusterChange, onChangeOf } from '../../foundations/rules/cluster-binding.ts'
import { actingAccount, impersonationOf } from '../../hub/references/acting-account.ts'
import type { Reads } from '../../hub/references/read-dependency.ts'
import { secretKind } from '../../hub/references/references.ts'
import type { Context } from './context.ts'
import { kubeConfigAnnotation } from './resource-set-address.ts'

export interface Target {
  /** Whether `cluster` is the hub itself. */
  readonly isHub: boolean
  /** Where objects are applied, as the identity that the ResourceSet acts as. */
  readonly cluster: ClusterClient
  /** The same place as whoever runs the hub, for what `readDependency` lets it read. */
  readonly observed: Reads
  /** The identity; undefined for whoever runs the hub. */
  readonly account: ObjectRef | undefined
  /** Where data are copied from: the hub, as that identity. */
  readonly sources: ClusterClient
  /** What to do when `cluster` is another one than before. */
  readonly onClusterChange: OnClusterChange
}

/**
 * Where a ResourceSet applies, and who it is there. The Secret is read anew each time, so that a rotated token counts at once.
 * Fails with an error that names the Secret and the key, never their content.
 */
export const targetOf = async (
  set: ResourceSet,
  { references, clusters, hubCluster, settings }: Context,
): Promise<Target> => {
  const account = actingAccount(set, settings)
  const impersonate = impersonationOf(account)
  const sources = hubCluster(impersonate)
  const reference = set.metadata.annotations?.[kubeConfigAnnotation]
  const onChange = (...access: readonly KubernetesObject[]) => onChangeOf(settings.onClusterChange, set, ...access)
  if (!reference)
    return { isHub: true, cluster: sources, observed: hubCluster(), account, sources, onClusterChange: onChange() }
  const { namespace = '' } = set.metadata
  const [name = '', key] = reference.split(':')
  const secret = await references.local(set, secretKind, name)
  if (!secret)
    throw new Error(`unable to read KubeConfig secret '${namespace}/${name}' error: secrets "${name}" not found`)
  const kubeconfig = kubeconfigOf(secret, key)
  return {
    isHub: false,
    cluster: await clusters.fromKubeconfig(kubeconfig, impersonate),
    observed: await clusters.fromKubeconfig(kubeconfig),
    account,
    sources,
    onClusterChange: onChange(secret),
  }
}
