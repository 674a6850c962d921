import type { Artifact } from '../kinds/artifact.ts'
import type { HelmChart } from '../kinds/helm-chart.ts'
import type { HelmRelease } from '../kinds/helm-release.ts'
import type { OpenBuilds } from './head-plan.ts'

/** A HelmRelease that a pull request may change, as far as the repository knows it. */
export interface ReleaseAtHead {
  readonly unit: HelmRelease
  readonly base: HelmRelease['spec']
  readonly head: HelmRelease['spec']
  /** Absent if its chart is not made of files whose head was fetched. */
  readonly chart?: GitChartAtHead
  /** ConfigMaps with its values, as far as Kustomizations of the pull request have them. */
  readonly configMaps: OpenBuilds
}

/** A HelmChart of files in a GitRepository, as it is and with the spec that it has at the head. */
export interface GitChartAtHead {
  readonly now: HelmChart
  readonly spec: HelmChart['spec']
  /** The source at the base and at the head. */
  readonly base: Artifact
  readonly head: Artifact
}
