import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { conditionsOf, hasCondition, integerAt, textAt } from './fields.ts'
import { current, failed, inProgress, type KStatus } from './result.ts'

/** The deadline of a Deployment whose rollout never times out: no Progressing condition appears. */
const NO_DEADLINE = 2 ** 31 - 1

/**
 * kstatus of a Deployment: failed after its progress deadline, current when all replicas are updated, available and
 * ready, and those of before are gone.
 */
export const deploymentStatus = (deployment: KubernetesObject): KStatus => {
  const conditions = conditionsOf(deployment)
  const overdue = conditions.find(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded')
  if (overdue) return failed(overdue.reason, 'Progress deadline exceeded', overdue.message)

  const wanted = integerAt(deployment, 'spec.replicas', 1)
  const total = integerAt(deployment, 'status.replicas', 0)
  const updated = integerAt(deployment, 'status.updatedReplicas', 0)
  const available = integerAt(deployment, 'status.availableReplicas', 0)
  const ready = integerAt(deployment, 'status.readyReplicas', 0)
  if (wanted > total) return inProgress('LessReplicas', `Replicas: ${total}/${wanted}`)
  if (wanted > updated) return inProgress('LessUpdated', `Updated: ${updated}/${wanted}`)
  if (total > wanted) return inProgress('ExtraPods', `Pending termination: ${total - wanted}`)
  if (updated > available) return inProgress('LessAvailable', `Available: ${available}/${updated}`)
  if (wanted > ready) return inProgress('LessReady', `Ready: ${ready}/${wanted}`)

  const rolledOut =
    integerAt(deployment, 'spec.progressDeadlineSeconds', NO_DEADLINE) === NO_DEADLINE ||
    conditions.some(
      ({ type, status, reason }) => type === 'Progressing' && status === 'True' && reason === 'NewReplicaSetAvailable',
    )
  if (!rolledOut) return inProgress('ReplicaSetNotAvailable', 'ReplicaSet not Available')
  if (!hasCondition(conditions, 'Available', 'True'))
    return inProgress('DeploymentNotAvailable', 'Deployment not Available')
  return current(`Deployment is available. Replicas: ${total}`)
}

/** kstatus of a ReplicaSet: current when all replicas are labelled, available and ready, and none is left over. */
export const replicaSetStatus = (replicaSet: KubernetesObject): KStatus => {
  if (hasCondition(conditionsOf(replicaSet), 'ReplicaFailure', 'True'))
    return inProgress('ReplicaFailure', 'Replica Failure condition. Check Pods')

  const wanted = integerAt(replicaSet, 'spec.replicas', 1)
  const total = integerAt(replicaSet, 'status.replicas', 0)
  const labelled = integerAt(replicaSet, 'status.fullyLabeledReplicas', 0)
  const available = integerAt(replicaSet, 'status.availableReplicas', 0)
  const ready = integerAt(replicaSet, 'status.readyReplicas', 0)
  if (wanted > labelled) return inProgress('LessLabelled', `Labelled: ${labelled}/${wanted}`)
  if (wanted > available) return inProgress('LessAvailable', `Available: ${available}/${wanted}`)
  if (wanted > ready) return inProgress('LessReady', `Ready: ${ready}/${wanted}`)
  if (total > wanted) return inProgress('ExtraPods', `Pending termination: ${total - wanted}`)
  return current(`ReplicaSet is available. Replicas: ${total}`)
}

/** The controller of StatefulSets sets no conditions: only counts and revisions are available. */
export const statefulSetStatus = (statefulSet: KubernetesObject): KStatus => {
  if (textAt(statefulSet, 'spec.updateStrategy.type') === 'OnDelete')
    return current('StatefulSet is using the ondelete update strategy')

  const wanted = integerAt(statefulSet, 'spec.replicas', 1)
  const total = integerAt(statefulSet, 'status.replicas', 0)
  const ready = integerAt(statefulSet, 'status.readyReplicas', 0)
  const atCurrent = integerAt(statefulSet, 'status.currentReplicas', 0)
  const updated = integerAt(statefulSet, 'status.updatedReplicas', 0)
  if (wanted > total) return inProgress('LessReplicas', `Replicas: ${total}/${wanted}`)
  if (wanted > ready) return inProgress('LessReady', `Ready: ${ready}/${wanted}`)
  if (total > wanted) return inProgress('ExtraPods', `Pending termination: ${total - wanted}`)

  const partition = integerAt(statefulSet, 'spec.updateStrategy.rollingUpdate.partition', -1)
  if (partition !== -1) {
    if (updated < wanted - partition) return inProgress('PartitionRollout', `updated: ${updated}/${wanted - partition}`)
    return current(`Partition rollout complete. updated: ${updated}`)
  }
  if (wanted > atCurrent) return inProgress('LessCurrent', `current: ${atCurrent}/${wanted}`)
  if (textAt(statefulSet, 'status.currentRevision') !== textAt(statefulSet, 'status.updateRevision'))
    return inProgress('RevisionMismatch', 'Waiting for updated revision to match current')
  return current(`All replicas scheduled as expected. Replicas: ${total}`)
}

/**
 * kstatus of a DaemonSet: current when each node that should has an updated, available and ready Pod. Until its
 * controller has observed it, in progress.
 */
export const daemonSetStatus = (daemonSet: KubernetesObject): KStatus => {
  if (integerAt(daemonSet, 'metadata.generation', undefined) === undefined)
    return inProgress('NoGeneration', `${daemonSet.kind} metadata.generation not found`)
  if (integerAt(daemonSet, 'status.observedGeneration', undefined) === undefined)
    return inProgress('NoObservedGeneration', `${daemonSet.kind} status.observedGeneration not found`)

  const wanted = integerAt(daemonSet, 'status.desiredNumberScheduled', -1)
  if (wanted === -1) return inProgress('NoDesiredNumber', 'Missing .status.desiredNumberScheduled')
  const scheduled = integerAt(daemonSet, 'status.currentNumberScheduled', 0)
  const updated = integerAt(daemonSet, 'status.updatedNumberScheduled', 0)
  const available = integerAt(daemonSet, 'status.numberAvailable', 0)
  const ready = integerAt(daemonSet, 'status.numberReady', 0)
  if (wanted > scheduled) return inProgress('LessCurrent', `Current: ${scheduled}/${wanted}`)
  if (wanted > updated) return inProgress('LessUpdated', `Updated: ${updated}/${wanted}`)
  if (wanted > available) return inProgress('LessAvailable', `Available: ${available}/${wanted}`)
  if (wanted > ready) return inProgress('LessReady', `Ready: ${ready}/${wanted}`)
  return current(`All replicas scheduled as expected. Replicas: ${wanted}`)
}
