import type { ClusterClient } from '../../clusters/client/client.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import type { OnClusterChange } from '../../foundations/rules/cluster-binding.ts'
import { actingAccount, impersonationOf } from '../../hub/references/acting-account.ts'
import type { Reads } from '../../hub/references/read-dependency.ts'
import { type KubeConfigReference, reachCluster } from '../applied-objects/reach-cluster.ts'
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

/** Where a ResourceSet applies, and who it is there. */
export const targetOf = async (set: ResourceSet, context: Context): Promise<Target> => {
  const { settings } = context
  const account = actingAccount(set, settings)
  const impersonate = impersonationOf(account)
  const kubeConfig = kubeConfigOf(set)
  const { as, onClusterChange } = await reachCluster(context, set, kubeConfig, settings.onClusterChange)
  return {
    isHub: kubeConfig === undefined,
    cluster: await as(impersonate),
    observed: await as(),
    account,
    sources: context.hubCluster(impersonate),
    onClusterChange,
  }
}

const kubeConfigOf = ({ metadata }: ResourceSet): KubeConfigReference | undefined => {
  const reference = metadata.annotations?.[kubeConfigAnnotation]
  if (!reference) return undefined
  const [name = '', key] = reference.split(':')
  return { secretRef: { name, ...(key !== undefined && { key }) } }
}
