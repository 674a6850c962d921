/** Which clusters run which revision of a source and which version of a chart. Pure. */
import type { KubernetesObject } from '../kinds/object.ts'
import { clusterNameOf, type Fleet, objectName } from './fleet-clusters.ts'
import { type Needing, neededNames } from './needed-by.ts'
import { type Page, type PageOptions, pageOf } from './page.ts'

/** One version of a thing, and where it runs. */
export interface RunningVersion {
  /** `GitRepository/apps/app`, `chart podinfo`, `image nginx`. */
  readonly what: string
  /** A revision, a chart's version, a tag or digest. */
  readonly version: string
  /** By name. */
  readonly clusters: readonly string[]
  readonly units: readonly string[]
  /** Those that a page of versions does not name. */
  readonly moreClusters?: number
  readonly moreUnits?: number
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

export interface VersionPageOptions extends PageOptions {
  /** Clusters and units that are named of each version. */
  readonly maxNames: number
  /** A part of what it is a version of, in any case. */
  readonly search?: string
}

/** A page of versions, each with the first of its clusters and units. */
export const versionPage = (
  versions: readonly RunningVersion[],
  { maxNames, search = '', ...page }: VersionPageOptions,
): Page<RunningVersion> => {
  const wanted = search.toLowerCase()
  const { items, ...rest } = pageOf(
    versions.filter(({ what }) => what.toLowerCase().includes(wanted)),
    page,
  )
  return { ...rest, items: items.map(version => withNames(version, maxNames)) }
}

const withNames = ({ clusters, units, ...version }: RunningVersion, max: number): RunningVersion => ({
  ...version,
  clusters: clusters.slice(0, max),
  ...(clusters.length > max && { moreClusters: clusters.length - max }),
  units: units.slice(0, max),
  ...(units.length > max && { moreUnits: units.length - max }),
})

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
