/** The pods of a unit that are not ready, with the last lines of the containers that fail, as the hub reads them for the person. */
import {
  type ContainerRun,
  type FailingContainer,
  failingContainers,
  isHeldByPods,
  isOfJob,
  type PodName,
  podId,
  podsIn,
  selectUnready,
} from '../foundations/fleet/failing-pods.ts'
import { livePod } from '../foundations/fleet/live.ts'
import type { Event } from '../foundations/kinds/event.ts'
import { describeRef, type KubernetesObject } from '../foundations/kinds/object.ts'
import { parseInventoryId } from '../foundations/rules/inventory.ts'
import { ApiFailure, type HubReader } from './hub-api.ts'
import { type LiveRef, readLiveEvents, readLiveObject, readLiveTree, readPodLog } from './read-live.ts'
import { lastSeen } from './read-object.ts'

/** Read at a time: where a runner reads, each of them is an order, and it takes no more than ten. */
const maxPods = 5
const maxWarnings = 3

export interface FailingPods {
  /** Who was impersonated on the cluster, if anybody. */
  readonly as?: string
  /** How many pods were found, and how many of them are not ready. */
  readonly total: number
  readonly unready: number
  /** The first of those that are not ready. */
  readonly pods: readonly FailingPod[]
  /** What the cluster refused to list, each message once. */
  readonly refused: readonly string[]
  /** Objects of the inventory that were not read, as there are too many. */
  readonly unreadObjects: number
}

/** A pod, or why it could not be read. */
export type FailingPod = PodPlace & (PodTrouble | { readonly refused: string })

interface PodPlace {
  /** `Pod/default/web-1`. */
  readonly pod: string
  /** The object of the inventory that it belongs to; the same if that is the pod itself. */
  readonly owner: string
}

interface PodTrouble {
  readonly message: string
  readonly restarts: number
  readonly containers: readonly (FailingContainer & { readonly logs: readonly ContainerLog[] })[]
  /** The latest Warning of each reason, as in `FailedMount: ...`. */
  readonly warnings: readonly string[]
}

/** The last lines of a run of a container, the oldest first, or why they could not be read. */
export type ContainerLog = { readonly run: ContainerRun } & (
  | { readonly lines: readonly string[] }
  | { readonly refused: string }
)

interface Reading {
  readonly api: HubReader
  readonly unit: KubernetesObject
  /** Of each log, at most. */
  readonly tailLines: number
  readonly signal: AbortSignal
}

/** Some of the pods that are not ready. Fails with ApiFailure if the hub does not show the cluster at all, and with HubUnreachable. */
export const readFailingPods = async (reading: Reading): Promise<FailingPods> => {
  const { as, more, refused, ...tree } = await readLiveTree(reading.api, reading.unit, reading.signal)
  const all = podsIn(tree, { waitsForJobs: isHeldByPods(reading.unit) })
  const unready = selectUnready(all)
  return {
    ...(as && { as }),
    ...{ total: all.length, unready: unready.length },
    pods: await Promise.all(unready.slice(0, maxPods).map(pod => readPod(reading, pod))),
    ...{ refused, unreadObjects: more },
  }
}

/** One request after another, so that a runner never has more orders than there are pods. */
const readPod = async (reading: Reading, name: PodName): Promise<FailingPod> => {
  const { api, unit, signal } = reading
  const ref: LiveRef = { unit, object: podId(name) }
  const read = async (): Promise<PodTrouble> => {
    const pod = await readLiveObject(api, ref, signal)
    const { message, restarts } = livePod(pod, name.owner)
    const containers = []
    for (const container of failingContainers(pod, { toEnd: isOfJob(name.owner) }))
      containers.push({ ...container, logs: await readLogs(reading, ref, container) })
    const events = await orRefused(readLiveEvents(api, ref, signal))
    return { message, restarts, containers, warnings: 'refused' in events ? [events.refused] : warningsIn(events) }
  }
  const [pod, owner] = [ref.object, name.owner].map(id => describeRef(parseInventoryId(id))) as [string, string]
  return { pod, owner, ...(await orRefused(read())) }
}

const readLogs = async (
  { api, tailLines, signal }: Reading,
  ref: LiveRef,
  { name: container, runs }: FailingContainer,
): Promise<readonly ContainerLog[]> => {
  const logs: ContainerLog[] = []
  for (const run of runs) {
    const log = readPodLog(api, ref, { container, previous: run === 'previous', tailLines }, signal)
    logs.push({ run, ...(await orRefused(log.then(lines => ({ lines })))) })
  }
  return logs
}

/** Without those that only say what the state of a container does. */
const warningsIn = (events: readonly Event[]): readonly string[] => {
  const warnings = events
    .filter(({ type, reason }) => type === 'Warning' && reason !== 'BackOff')
    .toSorted((a, b) => (lastSeen(a) < lastSeen(b) ? -1 : 1))
  const latest = new Map(warnings.map(({ reason, message }) => [reason, `${reason}: ${message}`]))
  return [...latest.values()].slice(-maxWarnings)
}

const orRefused = async <T extends object>(reading: Promise<T>): Promise<T | { readonly refused: string }> => {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ApiFailure) return { refused: error.message }
    throw error
  }
}
