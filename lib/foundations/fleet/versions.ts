/** Which clusters run which revision of a source and which version of a chart. Pure. */
import type { KubernetesObject } from '../kinds/object.ts'
import { clusterNameOf, type Fleet, objectName } from './fleet-clusters.ts'
import { type Needing, neededNames } from './needed-by.ts'

/** One version of a thing, and where it runs. */
export interface RunningVersion {
  /** `GitRepository/apps/app`, `chart podinfo`, `image nginx`. */
  readonly what: string
  /** A revision, a chart's version, a tag or digest. */
  readonly version: string
  /** By name. */
  readonly clusters: readonly string[]
  readonly units: readonly string[]
}

/** A version that a unit runs on a cluster. */
export interface Running {
  readonly what: string
  readonly version: string
  readonly cluster: string
  readonly unit: string
}

/** Where what applies to the hub itself runs. */
export const hubName = 'hub'

/** The revisions and charts that the units of a fleet have applied, by their status. */
export const appliedVersions = ({ clusters, onHub }: Fleet): readonly Running[] => [
  ...clusters.flatMap(at => at.units.flatMap(({ object }) => versionsOf(object, clusterNameOf(at)))),
  ...onHub.flatMap(({ object }) => versionsOf(object, hubName)),
]

type Applied = Needing & {
  readonly status?: {
    readonly lastAppliedRevision?: string
    readonly history?: readonly { readonly chartName?: string; readonly chartVersion?: string }[]
  }
}

const versionsOf = (object: KubernetesObject, cluster: string): readonly Running[] => {
  const { kind, status } = object as Applied
  const unit = objectName(object)
  if (kind === 'HelmRelease') {
    const [latest] = status?.history ?? []
    return latest?.chartName && latest.chartVersion
      ? [{ what: `chart ${latest.chartName}`, version: latest.chartVersion, cluster, unit }]
      : []
  }
  const [source] = kind === 'Kustomization' ? neededNames(object as Needing) : [unit]
  return source && status?.lastAppliedRevision
    ? [{ what: source, version: status.lastAppliedRevision, cluster, unit }]
    : []
}

/** The same things together, the version that runs on most clusters first. */
export const groupedVersions = (running: readonly Running[]): readonly RunningVersion[] => {
  const groups = Map.groupBy(running, ({ what, version }) => JSON.stringify([what, version]))
  return [...groups.values()]
    .map(group => ({
      what: group[0]!.what,
      version: group[0]!.version,
      clusters: [...new Set(group.map(({ cluster }) => cluster))],
      units: [...new Set(group.map(({ unit }) => unit))],
    }))
    .sort((a, b) => compare(a.what, b.what) || b.clusters.length - a.clusters.length || compare(a.version, b.version))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
