import type { Cluster } from '../kinds/cluster.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { describeTarget, type TargetReference } from '../kinds/target-reference.ts'
import { accessOf } from '../rules/target.ts'
import { type ObjectState, objectStateOf } from './object-state.ts'

/** A cluster that something is applied to, or that has a Cluster. */
export interface FleetCluster {
  /** Absent where only units name it. */
  readonly cluster?: Cluster
  /** The Secret or ConfigMap with its access. */
  readonly access: TargetReference
  readonly units: readonly Unit[]
}

/** A Kustomization, HelmRelease or ResourceSet: one thing applied to one cluster. */
export interface Unit extends ObjectState {
  readonly object: KubernetesObject
}

/** Objects of the hub, as far as the caller may see them. */
export interface FleetObjects {
  readonly clusters: readonly Cluster[]
  /** Kustomizations, HelmReleases and ResourceSets. */
  readonly units: readonly KubernetesObject[]
  readonly namespaces: readonly KubernetesObject[]
}

export interface Fleet {
  /** By namespace and name of the access. */
  readonly clusters: readonly FleetCluster[]
  /** The units that apply to the hub itself. */
  readonly onHub: readonly Unit[]
}

/** The clusters of a hub with their units: a unit belongs to each Cluster that uses the same access. */
export const fleetOf = ({ clusters, units, namespaces }: FleetObjects): Fleet => {
  const byName = new Map(namespaces.map(namespace => [namespace.metadata.name, namespace]))
  const found = new Map<string, { access: TargetReference; clusters: Cluster[]; units: Unit[] }>()
  const onHub: Unit[] = []
  const at = (object: KubernetesObject) => {
    const access = accessOf(object, byName.get(object.metadata.namespace ?? ''))
    if (!access) return undefined
    const key = describeTarget(access)
    const known = found.get(key) ?? { access, clusters: [], units: [] }
    found.set(key, known)
    return known
  }
  for (const cluster of clusters) at(cluster)?.clusters.push(cluster)
  for (const object of units) (at(object)?.units ?? onHub).push({ object, ...objectStateOf(object) })
  const ordered = [...found.values()]
    .sort((a, b) => (sortKey(a.access) < sortKey(b.access) ? -1 : 1))
    .flatMap(({ access, clusters, units }) =>
      clusters.length === 0 ? [{ access, units }] : clusters.map(cluster => ({ cluster, access, units })),
    )
  return { clusters: ordered, onHub }
}

const sortKey = ({ namespace, name, kind }: TargetReference): string => `${namespace}/${name}/${kind}`

/** `Kind/namespace/name`. */
export const objectName = ({ kind, metadata }: KubernetesObject): string =>
  `${kind}/${metadata.namespace}/${metadata.name}`

/** The name of a cluster for people: of its Cluster, else of the Secret or ConfigMap with its access. */
export const clusterNameOf = ({ cluster, access }: Pick<FleetCluster, 'cluster' | 'access'>): string =>
  cluster ? objectName(cluster) : describeTarget(access)
