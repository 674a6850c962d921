import type { Budget } from '../../../foundations/budget/budget.ts'

/** Files of a chart, by path within it. */
export type ChartFiles = ReadonlyMap<string, Uint8Array>

/** A chart in a repository. */
export interface HelmPull {
  readonly name: string
  /** `https://`, `http://` or `oci://`. */
  readonly repo: string
  /** If absent, the newest. */
  readonly version?: string | undefined
  /** Whether to include prereleases. */
  readonly devel: boolean
  /** The directory of Helm's settings; if absent, none are used. */
  readonly configHome?: string | undefined
  readonly debug: boolean
}

/** A chart with everything that determines its output. */
export interface ChartInflation {
  readonly chartName: string
  readonly files: ChartFiles
  /** Values files; later ones win. */
  readonly values: readonly Uint8Array[]
  /** If absent, Helm generates a name. */
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

/** Downloads charts that are not in the tree. */
export type PullChart = (chart: HelmPull) => Promise<ChartFiles>

/** Helm, or an equivalent: an interface, since the engine has no implementation. */
export interface Helm {
  readonly pull: PullChart
  /** The output of `helm template`; the budget pays for the YAML that is parsed. */
  template(release: ChartInflation, budget: Budget): Promise<string>
}

/** The chart renderer, and defaults for charts. */
export interface HelmOptions {
  readonly helm: Helm
  readonly kubeVersion?: string
  readonly apiVersions?: readonly string[]
  readonly debug?: boolean
}
