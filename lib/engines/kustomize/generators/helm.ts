import type { Budget } from '../../../foundations/budget/budget.ts'

/** Files of a chart, by path in it. */
export type ChartFiles = ReadonlyMap<string, Uint8Array>

/** A chart in a repository. */
export interface HelmPull {
  readonly name: string
  /** `https://`, `http://` or `oci://`. */
  readonly repo: string
  /** The newest without. */
  readonly version?: string | undefined
  /** Whether versions that are not released count. */
  readonly devel: boolean
  /** Where Helm finds its own settings; those of nobody without. */
  readonly configHome?: string | undefined
  readonly debug: boolean
}

/** A chart with all that decides what it renders to. */
export interface ChartInflation {
  readonly chartName: string
  readonly files: ChartFiles
  /** Files of values, later ones win. */
  readonly values: readonly Uint8Array[]
  /** A name of Helm's making without. */
  readonly releaseName?: string | undefined
  readonly nameTemplate?: string | undefined
  readonly namespace?: string | undefined
  readonly kubeVersion?: string | undefined
  readonly apiVersions: readonly string[]
  readonly includeCRDs: boolean
  readonly skipTests: boolean
  readonly skipHooks: boolean
  readonly devel: boolean
  readonly debug: boolean
  readonly configHome?: string | undefined
}

/** Downloads charts that the tree does not have. */
export type PullChart = (chart: HelmPull) => Promise<ChartFiles>

/** Helm, or something that does what it does; the core doesn't know how. */
export interface Helm {
  readonly pull: PullChart
  /** What `helm template` prints; the budget pays for the YAML that is read. */
  template(release: ChartInflation, budget: Budget): Promise<string>
}

/** Who renders charts, and what holds for charts that don't say it themselves. */
export interface HelmOptions {
  readonly helm: Helm
  readonly kubeVersion?: string
  readonly apiVersions?: readonly string[]
  readonly debug?: boolean
}
