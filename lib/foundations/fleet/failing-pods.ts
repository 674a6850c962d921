/** Which pods keep a unit from being ready, which of their containers, and which log says why. Pure. */
import type { InventoryEntry } from '../kinds/applied.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { inventoryId, parseInventoryId } from '../rules/inventory.ts'
import {
  type ContainerState,
  type ContainerStatus,
  completed,
  type LivePod,
  type LiveTree,
  type Pod,
  workloads,
} from './live.ts'
import { objectStateOf, statusCondition } from './object-state.ts'

/** Reasons of Ready while a unit waits for its objects, and once it has waited for too long. */
const reasonsOfWaiting: ReadonlySet<string> = new Set([
  'Progressing',
  'HealthCheckFailed',
  'InstallFailed',
  'UpgradeFailed',
  'RollbackFailed',
  'TestFailed',
])

/** Whether a unit may not be ready because of its pods. The hub knows no pods: only the cluster does. */
export const isHeldByPods = (unit: KubernetesObject): boolean => {
  const { state } = objectStateOf(unit)
  if (state === 'ready' || state === 'suspended' || unit.metadata.deletionTimestamp) return false
  const { inventory } = (unit.status ?? {}) as { readonly inventory?: { readonly entries?: readonly InventoryEntry[] } }
  const kinds = (inventory?.entries ?? []).map(({ id }) => parseInventoryId(id).kind)
  return (
    reasonsOfWaiting.has(statusCondition(unit, 'Ready')?.reason ?? '') &&
    kinds.some(kind => workloads.has(kind) || kind === 'Pod')
  )
}

/** A pod, and the object of the inventory that it belongs to. */
export type PodName = Pick<LivePod, 'owner' | 'namespace' | 'name' | 'state'>

/**
 * All pods of a unit, each once: of its workloads, and those that it has applied itself. For a unit that waits for its Jobs, a pod of a Job is ready once
 * it has completed.
 */
export const podsIn = (
  { pods, objects }: Pick<LiveTree, 'pods' | 'objects'>,
  { waitsForJobs }: { readonly waitsForJobs: boolean },
): readonly PodName[] => {
  const applied = objects.filter(({ id }) => isPod(id)).map(({ id, ...object }) => ({ owner: id, ...object }))
  const isUnfinished = ({ owner, state, message }: PodName & Pick<LivePod, 'message'>): boolean =>
    waitsForJobs && isOfJob(owner) && state === 'ready' && message !== completed
  const found = [...applied, ...pods].map(pod => (isUnfinished(pod) ? { ...pod, state: 'progressing' as const } : pod))
  return [...new Map(found.map(pod => [podId(pod), pod])).values()]
}

/** By the ID of the object that a pod belongs to. */
export const isOfJob = (owner: string): boolean => {
  const { group, kind } = parseInventoryId(owner)
  return group === 'batch' && kind === 'Job'
}

const isPod = (id: string): boolean => {
  const { group, kind } = parseInventoryId(id)
  return group === '' && kind === 'Pod'
}

/** The ID of a pod, as that of an object in an inventory. */
export const podId = ({ namespace, name }: Pick<LivePod, 'namespace' | 'name'>): string =>
  inventoryId({ group: '', kind: 'Pod', namespace, name })

/** Those that are not ready: of each workload one before another has two, and those that fail before those that may still become ready. */
export const selectUnready = (pods: readonly PodName[]): readonly PodName[] => {
  const unready = pods
    .filter(({ state }) => state !== 'ready')
    .toSorted((a, b) => Number(b.state === 'failed') - Number(a.state === 'failed'))
  const groups = [...Map.groupBy(unready, ({ owner }) => owner).values()]
  const turns = groups.flatMap(group => group.map((pod, turn) => ({ pod, turn })))
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ pod }) => pod)
}

export interface FailingContainer {
  readonly name: string
  readonly isInit: boolean
  /** As Kubernetes reports it: `exited with 1 (Error)`. */
  readonly message: string
  /** Whose output says why, in this order; none if it has never run. */
  readonly runs: readonly ContainerRun[]
}

export type ContainerRun = 'previous' | 'current'

/**
 * Init containers first. One that has ended well, or waits for others to do so, is not among them, nor is one that is ready, unless the pod is `toEnd`:
 * then what runs is not done.
 */
export const failingContainers = (
  pod: KubernetesObject,
  { toEnd = false }: { readonly toEnd?: boolean } = {},
): readonly FailingContainer[] => {
  const { containerStatuses = [], initContainerStatuses = [] } = (pod as Pod).status ?? {}
  return [
    ...initContainerStatuses.flatMap(status => failing(status, { isInit: true, toEnd: false })),
    ...containerStatuses.flatMap(status => failing(status, { isInit: false, toEnd })),
  ]
}

/** Reasons of waiting containers that others, or the node, must begin with: the pod says more. */
const passing: ReadonlySet<string> = new Set(['PodInitializing', 'ContainerCreating'])

const failing = (
  { name, ready, state = {}, lastState }: ContainerStatus,
  { isInit, toEnd }: { readonly isInit: boolean; readonly toEnd: boolean },
) => {
  const { waiting, running, terminated } = state
  const last = lastState?.terminated
  const of = (message: string, ...runs: readonly ContainerRun[]): readonly FailingContainer[] => [
    { name, isInit, message, runs },
  ]
  if (terminated) return terminated.exitCode === 0 ? [] : of(describeExit(terminated), 'current')
  // It may run again by the time that its log is read: then the run that failed is the previous one, too.
  if (waiting && last) return of(`${describeExit(last)}, and waits: ${describeWaiting(waiting)}`, 'previous')
  if (waiting) return passing.has(waiting.reason ?? '') ? [] : of(`waits: ${describeWaiting(waiting)}`)
  if (!running || (ready && !toEnd)) return []
  const runs = isInit || toEnd ? 'runs' : 'runs, and is not ready'
  return last ? of(`${runs}; before, it ${describeExit(last)}`, 'previous', 'current') : of(runs, 'current')
}

const describeWaiting = ({ reason, message }: NonNullable<ContainerState['waiting']>): string =>
  [reason, message].filter(Boolean).join(': ')

const describeExit = ({ exitCode, reason, message }: NonNullable<ContainerState['terminated']>): string =>
  `exited with ${exitCode}${reason ? ` (${reason})` : ''}${message ? `: ${message.trim()}` : ''}`

/** Names of the containers of a pod that may have a log. */
export const namesOfContainers = (pod: KubernetesObject): readonly string[] => {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = (pod as Pod).spec ?? {}
  return [...containers, ...initContainers, ...ephemeralContainers].map(({ name }) => name)
}

/** The container whose log is shown unless another is named: one that fails, or else the first. Undefined if there is none. */
export const namedOrFailing = (pod: KubernetesObject, named: string | undefined): string | undefined =>
  named ?? failingContainers(pod).find(({ runs }) => runs.length > 0)?.name ?? namesOfContainers(pod)[0]
