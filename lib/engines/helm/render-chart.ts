import type { Budget } from '../../foundations/budget/budget.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { ValueMap } from '../template/values/value.ts'
import { type Capabilities, defaultKubeVersion } from './capabilities.ts'
import type { Chart, ChartFile } from './chart.ts'
import { crdsOf } from './chart-crds.ts'
import { type ChartNode, chartTree } from './chart-tree.ts'
import { coalesceValues } from './coalesce.ts'
import { defaultApiVersions } from './default-api-versions.ts'
import { HelmError, RenderError } from './helm-error.ts'
import type { Hook } from './hook.ts'
import type { Manifest } from './manifest.ts'
import { isCompatible, processDependencies } from './process-dependencies.ts'
import { requireReleaseName } from './release-name.ts'
import { renderTemplates, type TemplateSettings } from './render-templates.ts'
import { type Release, scopeTemplates } from './render-values.ts'
import { requireDependencies } from './require-dependencies.ts'
import { sortManifests } from './sort-manifests.ts'

export interface RenderOptions extends TemplateSettings {
  readonly release: Release
  /** The cluster's version and APIs; by default those of `helm template` without a cluster. */
  readonly capabilities?: Capabilities
  /** Validates the values of the chart and its subcharts; throws HelmError. */
  readonly validate?: (chart: ChartNode, values: ValueMap) => void
  /** Charged for the documents that templates render. */
  readonly budget?: Budget
}

/** The rendered templates of a chart. */
export interface RenderedFiles {
  /** By template path; paths start at the root chart. */
  readonly files: ReadonlyMap<string, string>
  /** The files in `crds/`, also of subcharts; paths start at the root chart. */
  readonly crds: readonly ChartFile[]
  /** NOTES.txt of the root chart; '' if there is none. */
  readonly notes: string
}

/** The rendered objects of a chart. */
export interface RenderedChart extends Omit<RenderedFiles, 'files'> {
  /** In the order in which they are applied. */
  readonly manifests: readonly Manifest[]
  /** Includes tests: hooks with the event `test`. */
  readonly hooks: readonly Hook[]
}

/**
 * Renders a chart with values like Helm 4: resolves dependencies, coalesces and validates values, renders templates, sorts documents. Throws
 * HelmError with Helm's message; RenderError once templates were rendered; BudgetExceeded.
 */
export const renderChart = (chart: Chart, values: ValueMap, options: RenderOptions): RenderedChart => {
  requireInstallable(chart)
  const { files, ...rest } = renderFiles(chart, values, options)
  return { ...sortManifests(files, { budget: options.budget, heads: options.cache?.heads }), ...rest }
}

/**
 * Renders the templates only, for a post-renderer, which runs before documents are sorted. Accepts library charts: only helm's commands refuse to
 * install them, its library does not.
 */
export const renderFiles = (chart: Chart, values: ValueMap, options: RenderOptions): RenderedFiles => {
  requireComplete(chart)
  const { release, capabilities = defaultCapabilities } = options
  requireReleaseName(release.name)
  const root = chartTree(chart)
  processDependencies(root, values)
  const all = coalesceValues(root, values, 'delete')
  options.validate?.(root, all)
  requireKubeVersion(root, capabilities)
  const rendered = renderTemplates(scopeTemplates(root, all, release, capabilities), options)
  const notes = takeNotes(rendered, root.name)
  return { files: rendered, crds: crdsOf(root, root.name), notes }
}

export const defaultCapabilities: Capabilities = { kubeVersion: defaultKubeVersion, apiVersions: defaultApiVersions }

const requireInstallable = ({ metadata: { type = '' } }: Chart): void => {
  if (type !== '' && type !== 'application') throw new HelmError(`${type} charts are not installable`)
}

const requireComplete = ({ metadata, dependencies }: Chart): void => {
  try {
    requireDependencies(metadata, dependencies)
  } catch (error) {
    throw new HelmError(
      `an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies: ${errorMessage(error)}`,
      error,
    )
  }
}

const requireKubeVersion = ({ metadata }: ChartNode, { kubeVersion }: Capabilities): void => {
  const range = String(metadata.kubeVersion ?? '')
  if (range === '' || isCompatible(range, kubeVersion.normalized)) return
  throw new RenderError(
    `chart requires kubeVersion: ${range} which is incompatible with Kubernetes ${kubeVersion.version}`,
  )
}

/** Removes the notes of all charts, and returns the root's. */
const takeNotes = (rendered: Map<string, string>, root: string): string => {
  const notes = rendered.get(`${root}/templates/NOTES.txt`) ?? ''
  for (const path of rendered.keys()) if (path.endsWith('NOTES.txt')) rendered.delete(path)
  return notes
}
