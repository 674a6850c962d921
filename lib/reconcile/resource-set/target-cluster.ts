import type { ClusterClient } from '../../clusters/client/client.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { kubeConfigAnnotation, kubeConfigOfSet, parseKubeConfig } from '../../foundations/kinds/target-reference.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { actingAccount, impersonationOf } from '../../hub/references/acting-account.ts'
import type { ClusterPorts } from '../applied-objects/reach-cluster.ts'
import { type ReachedTarget, reachTarget } from '../applied-objects/reach-target.ts'
import type { KubeConfigReference } from '../applied-objects/stored-access.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { failure } from './failure.ts'
import { ownerOf } from './owner.ts'
import type { ResourceSetSettings } from './settings.ts'

export interface Target extends ReachedTarget {
  /** The identity that the ResourceSet acts as; undefined for the hub's operator. */
  readonly account: ObjectRef | undefined
  /** A client with that identity for the source of copied data: the hub, or the inherited cluster, as for a flux-operator there. */
  readonly sources: DataReader
}

/** Reads Secrets and ConfigMaps. */
export type DataReader = Pick<ClusterClient, 'get'>

interface TargetPorts extends ClusterPorts {
  readonly settings: ResourceSetSettings
  /** In a runner: what the hub lets a set copy. Elsewhere the identity of the set decides. */
  readonly dataOfHub?: (set: ResourceSet) => DataReader
}

/** The cluster that a ResourceSet applies to, and the identity to use there. */
export const targetOf = async (set: ResourceSet, ports: TargetPorts): Promise<Target> => {
  const { onClusterChange, ...settings } = ports.settings
  const account = actingAccount(set, settings)
  const options = { kubeConfig: kubeConfigOf(set), account, owner: ownerOf(set), onClusterChange }
  const reached = await reachTarget(ports, set, options)
  return {
    ...reached,
    account,
    sources: reached.hubSide ? reached.cluster : (ports.dataOfHub?.(set) ?? ports.hubCluster(impersonationOf(account))),
  }
}

/** Connects for a pass; halts if the cluster can't be reached. */
export const connect = async (
  set: ResourceSet,
  ports: TargetPorts,
  { signal, dryRun, note, confine }: Pick<Pass<ResourceSet>, 'signal' | 'dryRun' | 'note' | 'confine'>,
): Promise<Target> => {
  try {
    const target = await targetOf(set, ports)
    note({ cluster: target.reference })
    const observed = await confine(target.observed)
    return { ...target, observed, cluster: await confine(dryRun ? dryRun.cluster(target.cluster) : target.cluster) }
  } catch (error) {
    signal.throwIfAborted()
    throw failure('ReconciliationFailed', `reconciliation failed: ${errorMessage(error)}`, { cause: error })
  }
}

/** Fails if the annotation can't be understood: the hub is not what was meant. */
const kubeConfigOf = (set: ResourceSet): KubeConfigReference | undefined => {
  const text = kubeConfigOfSet(set)
  if (text === undefined) return undefined
  const named = parseKubeConfig(text)
  if (!named)
    throw new Error(`annotation ${kubeConfigAnnotation}: '${text}' is not [Secret/]NAME[:KEY] or ConfigMap/NAME`)
  const { kind, ...reference } = named
  return kind === 'Secret' ? { secretRef: reference } : { configMapRef: { name: named.name } }
}
