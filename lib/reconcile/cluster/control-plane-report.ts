import type { NewCondition } from '../../foundations/rules/conditions.ts'
import { clusterUnreachable } from '../../foundations/rules/outage.ts'
import type { Probe } from './probe.ts'

/** The condition of a Cluster, and of its ClusterProfile: the Cluster Inventory API defines it there. */
export const controlPlaneHealthy = 'ControlPlaneHealthy'

export const checksPassed = 'ChecksPassed'
export const checksFailed = 'ChecksFailed'

/**
 * Whether the API server and what it needs are in order, as its `/readyz` says. Independent of Ready: units are applied as long as the API server
 * accepts requests.
 */
export const healthOfControlPlane = (probe: Probe): NewCondition => {
  if (probe.type === 'unreachable') return { status: 'False', reason: clusterUnreachable, message: probe.message }
  if (probe.type === 'refused')
    return { status: 'Unknown', reason: 'Unauthorized', message: 'the cluster refuses the credential' }
  const { health } = probe
  switch (health.type) {
    case 'healthy':
      return { status: 'True', reason: checksPassed, message: 'all checks of /readyz pass' }
    case 'unhealthy':
      return { status: 'False', reason: checksFailed, message: health.problem }
    case 'unknown':
      return { status: 'Unknown', reason: 'ChecksUnknown', message: health.problem }
  }
}
