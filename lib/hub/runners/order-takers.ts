import { type Cluster, cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import { describeTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { ReferenceReader, References } from '../references/references.ts'
import type { OrderType } from './orders.ts'
import { orderTypesOf } from './runner-version.ts'
import { noRunnerReasons } from './watch-runner.ts'

/** Why no order of a type is placed for a runner. */
export interface OrderRefusal {
  readonly why: 'none' | 'away' | 'unwilling' | 'old'
  /** Absent if no Cluster has this runner. */
  readonly cluster?: Cluster
  /** For readers of the Cluster. */
  readonly message: string
}

/** Whether the runner of any Cluster takes orders of a type. */
export const areTaken = async (type: OrderType, hub: Pick<ReferenceReader, 'list'>): Promise<boolean> => {
  const { items } = await hub.list<Cluster>({ group: clusterKind.group, kind: clusterKind.kind })
  return items.some(cluster => orderTypesOf(cluster).includes(type))
}

/** Why orders of a type would wait in vain: no Cluster has a runner there, or the runner is known to be away, or to take none of them. Undefined if it takes them. */
export const refusalOfOrders = async (
  access: TargetReference,
  type: OrderType,
  references: Pick<References, 'clustersWith'>,
): Promise<OrderRefusal | undefined> => {
  const [cluster] = await references.clustersWith(access)
  if (!cluster)
    return {
      why: 'none',
      message: `no Cluster names ${describeTarget(access)} in spec.kubeConfig, so it has no runner`,
    }
  const reachable = conditionOf(cluster.status?.conditions, 'Reachable')
  if (noRunnerReasons.has(reachable?.reason ?? '')) return { why: 'away', cluster, message: reachable!.message }
  const taken = orderTypesOf(cluster)
  if (taken.includes(type)) return undefined
  if (type === 'live' && taken.length > 0)
    return { why: 'unwilling', cluster, message: 'its owner has not started it with --live' }
  const message = 'it is older than the hub: keelson runner upgrade-manifest prints what upgrades it'
  return { why: 'old', cluster, message }
}
