/** What a unit's objects are like on their cluster right now: the responses of the hub at `/fleet/live`. Pure. */
import type { Condition, KubernetesObject } from '../kinds/object.ts'
import { conditionOf } from '../rules/conditions.ts'

/** What is read of the cluster of a unit: its objects with their pods, or one of them, by its ID in the inventory or that of a Pod. */
export type LiveRead =
  | { readonly what: 'tree' }
  | { readonly what: 'object' | 'events'; readonly object: string }
  | ({ readonly what: 'log'; readonly object: string } & LogRead)

/** Lines of a log that are read at a time. */
export const maxTailLines = 1_000

/** Which lines of a log, as in the API of Kubernetes: the last `maxTailLines` of the current run, unless others are given. */
export interface LogRead {
  readonly container: string
  /** Of the run before the current one. */
  readonly previous?: boolean
  readonly tailLines?: number
}

/** As kstatus has it, in the words of units. `missing`: it does not exist. `unknown`: it could not be read. */
export type LiveState = 'ready' | 'progressing' | 'failed' | 'missing' | 'unknown'

export interface LiveObject {
  /** As in the inventory of the unit. */
  readonly id: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly state: LiveState
  readonly message: string
}

export interface LivePod {
  /** The object of the inventory that it belongs to. */
  readonly owner: string
  readonly namespace: string
  readonly name: string
  readonly state: LiveState
  readonly message: string
  readonly images: readonly string[]
  readonly containers: readonly string[]
  readonly restarts: number
}

export interface LiveTree {
  /** Who was impersonated; absent for the identity of the stored access. */
  readonly as?: string
  readonly objects: readonly LiveObject[]
  /** How many more there are in the inventory. */
  readonly more: number
  readonly pods: readonly LivePod[]
  /** What the cluster refused, each message once. */
  readonly refused: readonly string[]
}

/** Kinds of objects that have pods, which their selector finds. */
export const workloads: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job'])

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string }
  readonly running?: object
  readonly terminated?: { readonly reason?: string; readonly message?: string; readonly exitCode?: number }
}

export interface ContainerStatus {
  readonly name: string
  readonly ready?: boolean
  readonly restartCount?: number
  readonly state?: ContainerState
  readonly lastState?: ContainerState
}

interface Container {
  readonly name: string
  readonly image?: string
}

/** The fields of a Pod that say how it is. */
export interface Pod {
  readonly spec?: {
    readonly containers?: readonly Container[]
    readonly initContainers?: readonly Container[]
    readonly ephemeralContainers?: readonly Container[]
  }
  readonly status?: {
    readonly phase?: string
    readonly reason?: string
    readonly message?: string
    readonly conditions?: readonly Condition[]
    readonly containerStatuses?: readonly ContainerStatus[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
  }
}

/** Message of a pod that has ended well. */
export const completed = 'completed'

/** Reasons of waiting containers that do not pass by themselves. */
const stuck = /BackOff|Err|Error|Invalid/

/**
 * A Pod as the console shows it. `owner` is the id of the object that it belongs to; restarts are those of all its
 * containers.
 */
export const livePod = (pod: KubernetesObject, owner: string): LivePod => {
  const { spec = {}, status = {} } = pod as KubernetesObject & Pod
  const { name, namespace = '', deletionTimestamp } = pod.metadata
  const { containers = [] } = spec
  const { containerStatuses = [], initContainerStatuses = [] } = status
  const [state, message] = deletionTimestamp ? (['progressing', 'is being deleted'] as const) : stateOfPod(status)
  return {
    ...{ owner, namespace, name, state, message },
    images: containers.map(({ image = '' }) => image),
    containers: containers.map(container => container.name),
    restarts: [...initContainerStatuses, ...containerStatuses].reduce(
      (sum, { restartCount = 0 }) => sum + restartCount,
      0,
    ),
  }
}

const stateOfPod = (status: NonNullable<Pod['status']>): readonly [state: LiveState, message: string] => {
  const { phase = 'Pending', containerStatuses = [], initContainerStatuses = [] } = status
  const all = [...initContainerStatuses, ...containerStatuses]
  for (const { name, state } of all)
    if (state?.waiting?.reason && stuck.test(state.waiting.reason))
      return ['failed', `${name}: ${state.waiting.reason}${state.waiting.message ? `: ${state.waiting.message}` : ''}`]
  if (phase === 'Failed') return ['failed', [status.reason ?? phase, status.message].filter(Boolean).join(': ')]
  if (phase === 'Succeeded') return ['ready', completed]
  const ready = containerStatuses.filter(container => container.ready).length
  if (phase === 'Running' && ready === containerStatuses.length) return ['ready', 'running']
  const waiting = all.find(({ state }) => state?.waiting)?.state?.waiting?.reason
  if (waiting) return ['progressing', waiting]
  const scheduled = conditionOf(status.conditions, 'PodScheduled')
  if (scheduled?.status === 'False') return ['progressing', `${scheduled.reason}: ${scheduled.message}`]
  return ['progressing', `${phase}, ${ready} of ${containerStatuses.length} containers ready`]
}
