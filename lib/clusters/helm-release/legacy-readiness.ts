import { groupOf, type KubernetesObject } from '../../foundations/kinds/object.ts'

type Fields = Readonly<Record<string, unknown>>

/** Ready, not ready yet, or failed for good. */
export type LegacyReadiness = 'ready' | 'waiting' | { readonly failure: string }

/** Readiness by the rules of Helm 3; objects of kinds without a rule are ready once they exist. */
export const legacyReadiness = (object: KubernetesObject, waitForJobs: boolean): LegacyReadiness => {
  const spec = fieldsOf(object.spec)
  const status = fieldsOf(object.status)
  const ready = (isReady: boolean): LegacyReadiness => (isReady ? 'ready' : 'waiting')
  switch (`${groupOf(object.apiVersion)}/${object.kind}`) {
    case '/Pod':
      return ready(hasCondition(status, 'Ready', 'True'))
    case 'batch/Job':
      return waitForJobs ? jobReadiness(object, spec, status) : 'ready'
    case 'apps/Deployment':
      return ready(spec.paused !== true && isObserved(object, status) && deploymentIsReady(spec, status))
    case '/PersistentVolumeClaim':
      return ready(status.phase === 'Bound')
    case '/Service':
      return ready(serviceIsReady(spec, status))
    case 'apps/DaemonSet':
      return ready(isObserved(object, status) && daemonSetIsReady(spec, status))
    case 'apiextensions.k8s.io/CustomResourceDefinition':
      return ready(hasCondition(status, 'Established', 'True') || hasCondition(status, 'NamesAccepted', 'False'))
    case 'apps/StatefulSet':
      return ready(isObserved(object, status) && statefulSetIsReady(spec, status))
    case '/ReplicationController':
    case 'apps/ReplicaSet':
      return ready(isObserved(object, status) && numberOf(status.readyReplicas) >= numberOf(spec.replicas, 1))
    default:
      return 'ready'
  }
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

const numberOf = (value: unknown, otherwise = 0): number => (typeof value === 'number' ? value : otherwise)

const isObserved = ({ metadata }: KubernetesObject, status: Fields): boolean =>
  status.observedGeneration === metadata.generation

const hasCondition = (status: Fields, type: string, value: string): boolean =>
  Array.isArray(status.conditions) &&
  status.conditions.some(condition => fieldsOf(condition).type === type && fieldsOf(condition).status === value)

const jobReadiness = ({ metadata }: KubernetesObject, spec: Fields, status: Fields): LegacyReadiness => {
  if (numberOf(status.failed) > numberOf(spec.backoffLimit, 6))
    return { failure: `job is failed: ${metadata.namespace}/${metadata.name}` }
  return spec.completions !== undefined && numberOf(status.succeeded) < numberOf(spec.completions) ? 'waiting' : 'ready'
}

/** Counts pods of the newest template, whether ready or not. */
const deploymentIsReady = (spec: Fields, status: Fields): boolean => {
  const replicas = numberOf(spec.replicas, 1)
  const rolling = fieldsOf(fieldsOf(spec.strategy).rollingUpdate)
  const unavailable = scaled(rolling.maxUnavailable, replicas, Math.floor)
  const updated = numberOf(status.updatedReplicas)
  const older = Math.max(0, numberOf(status.replicas) - updated)
  return updated > 0 || replicas === 0
    ? Math.max(0, numberOf(status.readyReplicas) - older) >= replicas - Math.min(unavailable, replicas)
    : false
}

const scaled = (value: unknown, total: number, round: (number: number) => number): number => {
  if (typeof value === 'string' && value.endsWith('%')) return round((Number.parseInt(value, 10) * total) / 100)
  return numberOf(value)
}

const serviceIsReady = (spec: Fields, status: Fields): boolean => {
  if (spec.type === 'ExternalName') return true
  if (!spec.clusterIP) return false
  if (spec.type !== 'LoadBalancer') return true
  const external = Array.isArray(spec.externalIPs) && spec.externalIPs.length > 0
  return external || fieldsOf(status.loadBalancer).ingress !== undefined
}

const daemonSetIsReady = (spec: Fields, status: Fields): boolean => {
  const strategy = fieldsOf(spec.updateStrategy)
  if (strategy.type !== 'RollingUpdate') return true
  const desired = numberOf(status.desiredNumberScheduled)
  if (numberOf(status.updatedNumberScheduled) !== desired) return false
  const unavailable = scaled(fieldsOf(strategy.rollingUpdate).maxUnavailable, desired, Math.ceil)
  return numberOf(status.numberReady) >= desired - unavailable
}

const statefulSetIsReady = (spec: Fields, status: Fields): boolean => {
  const strategy = fieldsOf(spec.updateStrategy)
  if (strategy.type !== 'RollingUpdate') return true
  const replicas = numberOf(spec.replicas, 1)
  const partition = numberOf(fieldsOf(strategy.rollingUpdate).partition)
  if (numberOf(status.updatedReplicas) < replicas - partition) return false
  if (numberOf(status.readyReplicas) !== replicas) return false
  return partition > 0 || status.currentRevision === status.updateRevision
}
