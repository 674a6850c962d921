/** Faults of clusters themselves: an unreachable cluster, and a credential that it rejects, or soon will. */
import type { Cluster } from '../kinds/cluster.ts'
import { clusterUnreachable, serverOfOutage } from '../rules/outage.ts'
import type { Fault } from './cause.ts'
import { clusterNameOf, type Fleet, type FleetCluster, objectName } from './fleet-clusters.ts'
import { objectStateOf, statusCondition } from './object-state.ts'

/** The server that a failed connection names; undefined for other messages. */
const serverIn = (message: string): string | undefined =>
  serverOfOutage(message) ??
  /\b[A-Z][a-z]+ "(https?:\/\/[^/"]+)[^"]*": (?:dial|read|write|EOF|net|context)/.exec(message)?.[1]

/** Reasons of failures before the first request to a unit's cluster. */
const beforeCluster = new Set(['BuildFailed', 'ArtifactFailed', 'DependencyNotReady', 'InvalidCELExpression'])

/** What is wrong with the cluster that a failing unit applies to, if that is why it fails. The key is the same for all units of the cluster. */
export const clusterFault = (
  at: FleetCluster | undefined,
  reason: string,
  message: string,
): { readonly key: string; readonly fault: Omit<Fault, 'severity' | 'since'> } | undefined => {
  if (!at) return undefined
  const server = serverIn(message)
  const isDead = server !== undefined && (reason === clusterUnreachable || !beforeCluster.has(reason))
  const hasFailed =
    at.cluster !== undefined && objectStateOf(at.cluster).state === 'failed' && !beforeCluster.has(reason)
  if (!isDead && !hasFailed) return undefined
  const key = hasFailed ? keyOf(at.cluster!) : `cluster ${server}`
  return { key, fault: { object: clusterNameOf(at), reason: clusterUnreachable, message: messageOf(message) } }
}

/** Clusters of one server fail together, whatever object names them. */
const keyOf = (cluster: Cluster): string => {
  const { server } = cluster.status ?? {}
  const isUnreachable = statusCondition(cluster, 'Ready')?.reason === clusterUnreachable
  return `cluster ${isUnreachable && server ? new URL(server).origin : objectName(cluster)}`
}

const messageOf = (message: string): string => message.replace(/^[A-Z]\w+: /, '')

export interface ClusterCause {
  readonly key: string
  readonly fault: Fault
  readonly at: FleetCluster
  /** Whether it holds up all units of the cluster, also those that fail for something else. */
  readonly isWhole: boolean
}

/** Clusters that their probes find unusable, credentials that expire soon, and control planes whose checks fail. */
export const clusterCauses = ({ clusters }: Fleet): readonly ClusterCause[] =>
  clusters.flatMap((at): readonly ClusterCause[] => {
    const { cluster } = at
    if (!cluster) return []
    const { state } = objectStateOf(cluster)
    const object = clusterNameOf(at)
    const ready = statusCondition(cluster, 'Ready')
    if (state === 'failed' || state === 'stalled') {
      const { reason = '', message = '', lastTransitionTime: since } = ready ?? {}
      const fault = { severity: 'error', object, reason, message, ...(since && { since }) } as const
      return [{ key: keyOf(cluster), fault, at, isWhole: false }]
    }
    if (state === 'suspended') return []
    const warnings = [
      { key: 'credential', condition: statusCondition(cluster, 'CredentialsValid'), when: 'ExpiresSoon' },
      { key: 'control plane', condition: statusCondition(cluster, 'ControlPlaneHealthy'), when: 'ChecksFailed' },
    ]
    return warnings.flatMap(({ key, condition, when }) => {
      if (condition?.reason !== when) return []
      const { reason, message } = condition
      const fault = { severity: 'warning', object, reason, message } as const
      return [{ key: `${key} ${object}`, fault, at, isWhole: true }]
    })
  })
