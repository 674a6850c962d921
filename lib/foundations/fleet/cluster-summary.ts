/** One cluster of a fleet with what there is to say about it. Pure. */
import type { Cluster } from '../kinds/cluster.ts'
import { describeTarget } from '../kinds/target-reference.ts'
import { waitingCondition } from '../kinds/window.ts'
import { timestamp } from '../rules/conditions.ts'
import { holdsAt } from '../rules/windows.ts'
import { clusterNameOf, type Fleet, type FleetCluster, objectName, type Unit } from './fleet-clusters.ts'
import { countsOf, type StateCounts } from './fleet-rows.ts'
import { type ObjectState, objectStateOf, statusCondition } from './object-state.ts'
import { type Page, type PageOptions, pageOf } from './page.ts'

/** What is said of one unit. */
export interface UnitMessage {
  /** `Kind/namespace/name`. */
  readonly unit: string
  readonly message: string
}

export interface ClusterSummary extends Partial<ObjectState> {
  /** Of its Cluster; absent where only units name it. */
  readonly namespace?: string
  readonly name?: string
  readonly created?: string
  /** The Secret or ConfigMap with its access. */
  readonly access: string
  /** The status of its condition Ready. */
  readonly ready?: string
  readonly version?: string
  readonly server?: string
  readonly latency?: string
  readonly lastContactTime?: string
  readonly credential?: NonNullable<Cluster['status']>['credential']
  /** That its credential expires soon. */
  readonly expiry?: string
  /** Which checks of its control plane fail. */
  readonly unhealthy?: string
  readonly units: StateCounts
  /** The first units that fail. */
  readonly failing: readonly UnitMessage[]
  readonly moreFailing?: number
  /** The first units with work that waits for a time, and for which. */
  readonly waiting?: readonly UnitMessage[]
  readonly moreWaiting?: number
  /** What its windows hold back now, and until when: `Changes until 2026-12-27T00:00:00Z`. */
  readonly held?: readonly string[]
}

/** Units that are named of one cluster. */
const maxNamed = 20

export interface ClusterPageOptions extends PageOptions {
  /** A name such as `Cluster/apps/prod`. */
  readonly cluster?: string
  /** A part of its name, its access, its server or its version, in any case. */
  readonly search?: string
  /** By the labels of its Cluster; none where only units name it. */
  readonly isSelected?: (labels: Readonly<Record<string, string>>) => boolean
}

/** A page of the clusters of a fleet. `now` is in milliseconds since the epoch. */
export const clusterPage = (
  { clusters }: Fleet,
  { cluster, search, isSelected, ...page }: ClusterPageOptions,
  now: number,
): Page<ClusterSummary> => {
  const wanted = search?.toLowerCase()
  const found = clusters.filter(
    at =>
      (!cluster || clusterNameOf(at) === cluster) &&
      (!wanted || textOf(at).toLowerCase().includes(wanted)) &&
      (!isSelected || isSelected(at.cluster?.metadata.labels ?? {})),
  )
  const { items, ...rest } = pageOf(found, page)
  return { ...rest, items: items.map(at => clusterSummary(at, now)) }
}

const textOf = (at: FleetCluster): string => {
  const { server, kubernetesVersion } = at.cluster?.status ?? {}
  return [clusterNameOf(at), describeTarget(at.access), server, kubernetesVersion].join('\n')
}

/** `now` is in milliseconds since the epoch. */
const clusterSummary = ({ cluster, access, units }: FleetCluster, now: number): ClusterSummary => {
  const waiting = waitingOf(units)
  const failing = units.filter(({ state }) => state === 'failed' || state === 'stalled')
  return {
    ...(cluster && {
      ...{ namespace: cluster.metadata.namespace ?? '', name: cluster.metadata.name },
      ...(cluster.metadata.creationTimestamp && { created: cluster.metadata.creationTimestamp }),
    }),
    access: describeTarget(access),
    ...(cluster && seenOf(cluster)),
    units: countsOf(units),
    failing: failing.slice(0, maxNamed).map(({ object, message }) => ({ unit: objectName(object), message })),
    ...(failing.length > maxNamed && { moreFailing: failing.length - maxNamed }),
    ...(waiting.length > 0 && { waiting: waiting.slice(0, maxNamed) }),
    ...(waiting.length > maxNamed && { moreWaiting: waiting.length - maxNamed }),
    ...(cluster?.spec.windows && { held: heldOf(cluster, now) }),
  }
}

const seenOf = (cluster: Cluster): Partial<ClusterSummary> => {
  const { kubernetesVersion, server, latency, lastContactTime, credential } = cluster.status ?? {}
  const ready = statusCondition(cluster, 'Ready')?.status
  const valid = statusCondition(cluster, 'CredentialsValid')
  const healthy = statusCondition(cluster, 'ControlPlaneHealthy')
  return {
    ...objectStateOf(cluster),
    ...(ready && { ready }),
    ...(kubernetesVersion && { version: kubernetesVersion }),
    ...(server && { server }),
    ...(latency && { latency }),
    ...(lastContactTime && { lastContactTime }),
    ...(credential && { credential }),
    ...(valid?.reason === 'ExpiresSoon' && { expiry: valid.message }),
    ...(healthy?.reason === 'ChecksFailed' && { unhealthy: healthy.message }),
  }
}

const waitingOf = (units: readonly Unit[]): readonly UnitMessage[] =>
  units.flatMap(({ object }) => {
    const waiting = statusCondition(object, waitingCondition)
    return waiting?.status === 'True' ? [{ unit: objectName(object), message: waiting.message }] : []
  })

const heldOf = ({ kind, metadata, spec }: Cluster, now: number): readonly string[] => {
  const owner = `${kind} ${metadata.namespace}/${metadata.name}`
  return Object.entries(holdsAt([{ owner, windows: spec.windows ?? [] }], now)).map(
    ([thing, { until }]) => `${thing}${until === undefined ? '' : ` until ${timestamp(until)}`}`,
  )
}
