import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { conditionsOf, fieldAt, hasCondition, textAt } from './fields.ts'
import { current, failed, inProgress, type KStatus, KStatusError } from './result.ts'

/** A Pod that can't be scheduled is given this long before it counts as failed. */
const SCHEDULE_WINDOW_MS = 15_000

/**
 * kstatus of a Pod. `now` (milliseconds since the epoch) decides how long it may stay unschedulable. Throws
 * KStatusError for an unknown phase.
 */
export const podStatus = (pod: KubernetesObject, now: number): KStatus => {
  const phase = textAt(pod, 'status.phase')
  switch (phase) {
    case 'Succeeded':
      return current('Pod has completed successfully')
    case 'Failed':
      return current('Pod has completed, but not successfully')
    case 'Running':
      return runningStatus(pod)
    case 'Pending':
      return pendingStatus(pod, now)
    case '':
      return inProgress('PodNotObserved', 'Pod phase not available')
    default:
      throw new KStatusError(`unknown phase ${phase}`)
  }
}

const runningStatus = (pod: KubernetesObject): KStatus => {
  if (hasCondition(conditionsOf(pod), 'Ready', 'True')) return current('Pod is Ready')
  const crashing = crashLoopingContainers(pod)
  if (crashing.length > 0)
    return failed('ContainerCrashLooping', `Containers in CrashLoop state: ${crashing.join(',')}`)
  return inProgress('PodRunningNotReady', 'Pod is running but is not Ready')
}

const pendingStatus = (pod: KubernetesObject, now: number): KStatus => {
  const unschedulable = conditionsOf(pod).some(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  )
  if (!unschedulable) return inProgress('PodPending', 'Pod is in the Pending phase')
  // Without a creation time it counts as long ago.
  if (Date.parse(pod.metadata.creationTimestamp!) > now - SCHEDULE_WINDOW_MS)
    return inProgress('PodNotScheduled', 'Pod has not been scheduled')
  return failed('PodUnschedulable', 'Pod could not be scheduled')
}

const crashLoopingContainers = (pod: KubernetesObject): readonly string[] => {
  const containers = fieldAt(pod, 'status.containerStatuses')
  if (!Array.isArray(containers)) return []
  return containers
    .filter(container => textAt(container, 'state.waiting.reason') === 'CrashLoopBackOff')
    .map(container => textAt(container, 'name'))
    .filter(name => name !== '')
}
