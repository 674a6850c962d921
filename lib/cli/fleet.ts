import type { Cluster } from '../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { describeTarget, type TargetReference } from '../foundations/kinds/target-reference.ts'
import { accessOf } from '../foundations/rules/target.ts'
import { type ObjectState, objectStateOf } from './readiness.ts'

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

/**
 * The clusters of a hub with their units: a unit belongs to each Cluster that uses the same access. Those that apply to the hub itself are
 * left out. By namespace and name of the access.
 */
export const fleetOf = ({ clusters, units, namespaces }: FleetObjects): readonly FleetCluster[] => {
  const byName = new Map(namespaces.map(namespace => [namespace.metadata.name, namespace]))
  const found = new Map<string, { access: TargetReference; clusters: Cluster[]; units: Unit[] }>()
  const at = (object: KubernetesObject) => {
    const access = accessOf(object, byName.get(object.metadata.namespace ?? ''))
    if (!access) return undefined
    const key = describeTarget(access)
    const known = found.get(key) ?? { access, clusters: [], units: [] }
    found.set(key, known)
    return known
  }
  for (const cluster of clusters) at(cluster)?.clusters.push(cluster)
  for (const object of units) at(object)?.units.push({ object, ...objectStateOf(object) })
  return [...found.values()]
    .sort((a, b) => (sortKey(a.access) < sortKey(b.access) ? -1 : 1))
    .flatMap(({ access, clusters, units }) =>
      clusters.length === 0 ? [{ access, units }] : clusters.map(cluster => ({ cluster, access, units })),
    )
}

const sortKey = ({ namespace, name, kind }: TargetReference): string => `${namespace}/${name}/${kind}`
