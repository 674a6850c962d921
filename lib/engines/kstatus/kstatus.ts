import { groupOf, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { conditionsOf, strictIntegerAt, textAt } from './fields.ts'
import { jobStatus } from './job.ts'
import { podStatus } from './pod.ts'
import { daemonSetStatus, deploymentStatus, replicaSetStatus, statefulSetStatus } from './replicated.ts'
import { current, failed, inProgress, type KStatus } from './result.ts'

/**
 * The status of an object. Rules common to all kinds come first (deletion, generation, the Reconciling and Stalled conditions), then the
 * kind's own rule, then a Ready condition; an object without any of these is Current. `now` is in milliseconds. Fails with a KStatusError if
 * the object is malformed.
 */
export const kstatus = (object: KubernetesObject, now: number): KStatus =>
  commonStatus(object) ?? kindRules.get(kindKey(object))?.(object, now) ?? readyStatus(object)

const kindKey = ({ apiVersion, kind }: KubernetesObject): string => `${groupOf(apiVersion)}/${kind}`

const commonStatus = (object: KubernetesObject): KStatus | undefined => {
  if (object.metadata.deletionTimestamp)
    return { status: 'Terminating', message: 'Resource scheduled for deletion', conditions: [] }

  const generation = strictIntegerAt(object, 'metadata.generation')
  const observed = generation === undefined ? undefined : strictIntegerAt(object, 'status.observedGeneration')
  if (observed !== undefined && observed !== generation)
    return inProgress(
      'LatestGenerationNotObserved',
      `${object.kind} generation is ${generation}, but latest observed generation is ${observed}`,
    )

  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type === 'Reconciling' && status === 'True') return inProgress(reason, message)
    if (type === 'Stalled' && status === 'True') return failed(reason, message)
  }
  return undefined
}

const readyStatus = (object: KubernetesObject): KStatus => {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type !== 'Ready') continue
    if (status === 'True') return current('Resource is Ready')
    if (status === 'False' || status === 'Unknown') return inProgress(reason, message)
  }
  return current('Resource is current')
}

const alwaysReady = (): KStatus => current('Resource is always ready')

const claimStatus = (claim: KubernetesObject): KStatus => {
  const phase = textAt(claim, 'status.phase', 'unknown')
  return phase === 'Bound' ? current('PVC is Bound') : inProgress('NotBound', `PVC is not Bound. phase: ${phase}`)
}

const serviceStatus = (service: KubernetesObject): KStatus =>
  textAt(service, 'spec.type') === 'LoadBalancer' && textAt(service, 'spec.clusterIP') === ''
    ? inProgress('NoIPAssigned', 'ClusterIP not set. Service type: LoadBalancer')
    : current('Service is ready')

const definitionStatus = (definition: KubernetesObject): KStatus => {
  for (const { type, status, reason, message } of conditionsOf(definition)) {
    if (type === 'NamesAccepted' && status === 'False') return failed(reason, message)
    if (type !== 'Established') continue
    if (status === 'False' && reason !== 'Installing') return failed(reason, message)
    if (status === 'True') return current('CRD is established')
  }
  return inProgress('Installing', 'Install in progress')
}

const kindRules = new Map<string, (object: KubernetesObject, now: number) => KStatus>([
  ['/Service', serviceStatus],
  ['/Pod', podStatus],
  ['/Secret', alwaysReady],
  ['/ConfigMap', alwaysReady],
  ['/PersistentVolumeClaim', claimStatus],
  ['apps/Deployment', deploymentStatus],
  ['extensions/Deployment', deploymentStatus],
  ['apps/ReplicaSet', replicaSetStatus],
  ['extensions/ReplicaSet', replicaSetStatus],
  ['apps/StatefulSet', statefulSetStatus],
  ['apps/DaemonSet', daemonSetStatus],
  ['extensions/DaemonSet', daemonSetStatus],
  ['policy/PodDisruptionBudget', () => current('AllowedDisruptions has been computed.')],
  ['batch/CronJob', alwaysReady],
  ['batch/Job', jobStatus],
  ['apiextensions.k8s.io/CustomResourceDefinition', definitionStatus],
])
