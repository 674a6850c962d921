import type { JsonObject } from '../../yaml/json-value.ts'

export type ReleaseStatus =
  | 'unknown'
  | 'deployed'
  | 'uninstalled'
  | 'superseded'
  | 'failed'
  | 'uninstalling'
  | 'pending-install'
  | 'pending-upgrade'
  | 'pending-rollback'

/** A revision of a release as Helm 3 and 4 store it. Empty fields are absent. */
export interface Release {
  readonly name: string
  readonly namespace?: string
  /** 1 for the first. */
  readonly version: number
  readonly info: ReleaseInfo
  /** The chart as it was rendered; its subcharts are not stored. */
  readonly chart?: StoredChart
  /** The values that the user gave. */
  readonly config?: JsonObject
  readonly manifest?: string
  readonly hooks?: readonly ReleaseHook[]
  /** Absent in releases of Helm 3, which applied client-side. */
  readonly apply_method?: 'ssa' | 'csa'
  /** Labels of the Secret; not in the JSON. */
  readonly labels?: Readonly<Record<string, string>>
}

/** Times are RFC 3339. */
export interface ReleaseInfo {
  readonly first_deployed?: string
  readonly last_deployed?: string
  readonly deleted?: string
  readonly description?: string
  readonly status: ReleaseStatus
  /** The revision that a rollback restored. */
  readonly rollback_revision?: number
  readonly notes?: string
}

export interface ReleaseHook {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly manifest: string
  readonly events?: readonly string[]
  readonly last_run: HookRun
  readonly weight?: number
  readonly delete_policies?: readonly string[]
  readonly output_log_policies?: readonly string[]
}

export interface HookRun {
  readonly started_at?: string
  readonly completed_at?: string
  readonly phase: HookPhase
}

/** '' before the hook has run. */
export type HookPhase = '' | 'Unknown' | 'Running' | 'Succeeded' | 'Failed'

export interface StoredChart {
  readonly metadata: StoredChartMetadata
  readonly lock: JsonObject | null
  readonly templates: readonly StoredFile[] | null
  readonly values: JsonObject | null
  /** Base64. */
  readonly schema: string | null
  readonly schemamodtime: string
  readonly files: readonly StoredFile[] | null
  readonly modtime?: string
}

export interface StoredChartMetadata extends JsonObject {
  readonly name: string
  readonly version: string
}

export interface StoredFile {
  readonly name: string
  readonly modtime?: string
  /** Base64. */
  readonly data: string
}

/** Whether an action on the release is in progress: Helm starts no other one until it ends. */
export const isPending = ({ info }: Release): boolean => info.status.startsWith('pending-')

/** Releases by revision, the highest first. */
export const newestFirst = (releases: readonly Release[]): readonly Release[] =>
  releases.toSorted((a, b) => b.version - a.version)

/** The newest deployed revision. A crash between two writes may leave several. */
export const deployedOf = (releases: readonly Release[]): Release | undefined =>
  newestFirst(releases).find(({ info }) => info.status === 'deployed')

/**
 * The revisions to delete before the next one if `maxHistory` are kept (0 = all): the oldest, never the deployed one.
 */
export const obsoleteVersions = (releases: readonly Release[], maxHistory: number): readonly Release[] => {
  if (maxHistory === 0) return []
  const deployed = deployedOf(releases)
  const removable = newestFirst(releases)
    .toReversed()
    .filter(({ version }) => version !== deployed?.version)
  return removable.slice(0, Math.max(0, releases.length + 1 - maxHistory))
}

/** The release with another status and description. */
export const withStatus = (
  release: Release,
  status: ReleaseStatus,
  description = release.info.description,
): Release => ({
  ...release,
  info: { ...release.info, status, ...(description !== undefined && { description }) },
})
