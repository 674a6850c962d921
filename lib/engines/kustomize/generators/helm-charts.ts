import { BudgetExceeded } from '../../../foundations/budget/budget.ts'
import { emitJson } from '../../yaml/emit-json.ts'
import type { JsonObject, JsonValue } from '../../yaml/json-value.ts'
import type { Target } from '../kustomization-target.ts'
import { KustomizeError, located, wrapError } from '../kustomize-error.ts'
import type { Loader } from '../loader.ts'
import type { Generator, PluginEnvironment } from '../plugins/plugin.ts'
import { type ReadContext, readResources } from '../read-resources.ts'
import type { Resource } from '../resource.ts'
import type { Schema } from '../schema/schema.ts'
import type { ChartFiles, Helm, HelmOptions } from './helm.ts'
import { mergeValues, VALUES_MERGES, type ValuesMerge } from './helm-values.ts'

/** An entry of `helmCharts` merged with `helmGlobals`, or a file of kind HelmChartInflationGenerator. */
export interface HelmChart {
  readonly name?: string
  readonly version?: string
  readonly repo?: string
  readonly releaseName?: string
  readonly namespace?: string
  readonly additionalValuesFiles?: readonly string[]
  readonly valuesFile?: string
  readonly valuesInline?: JsonObject
  readonly valuesMerge?: string
  readonly includeCRDs?: boolean
  readonly skipHooks?: boolean
  readonly skipTests?: boolean
  readonly apiVersions?: readonly string[]
  readonly kubeVersion?: string
  readonly nameTemplate?: string
  readonly debug?: boolean
  readonly devel?: boolean
  readonly chartHome?: string
  readonly configHome?: string
}

/** The generators of a kustomization's charts; all are checked before the first is rendered. */
export const helmGenerators = (
  target: Target,
  context: Pick<PluginEnvironment, 'schema' | 'budget'>,
  helm: HelmOptions | undefined,
  origin: Generator['origin'],
): Generator[] => {
  const { kustomization, loader, file } = target
  return kustomization.helmCharts.map((own, i) => {
    const namespace = own.namespace || target.namespace
    const chart = { ...kustomization.helmGlobals, ...own, ...(namespace && { namespace }) }
    try {
      return { ...(origin && { origin }), generate: helmGenerator(chart, { ...context, loader, file, helm }) }
    } catch (error) {
      const prefix = `trouble configuring builtin HelmChartInflationGenerator with config: \`\n${shown(chart)}\``
      throw wrapError(prefix, error, { file, field: `helmCharts[${i}]` })
    }
  })
}

/** The configuration as kustomize prints it: without empty fields. */
const shown = (config: JsonObject): string =>
  emitJson(Object.fromEntries(Object.entries(config).filter(([, value]) => !isEmpty(value))) as JsonObject)

const isEmpty = (value: JsonValue | undefined): boolean =>
  !value || (typeof value === 'object' && Object.keys(value).length === 0)

/** The chart renderer, which may be disabled. */
export const helmOf = ({ helm }: PluginEnvironment): HelmOptions => {
  if (!helm) throw new KustomizeError('must specify --enable-helm')
  return helm
}

/**
 * Checks a chart's configuration, and returns the step that renders it: from files of the tree, or pulled from its repository.
 */
export const helmGenerator = (own: HelmChart, environment: PluginEnvironment): (() => Promise<Resource[]>) => {
  const { loader, schema, file } = environment
  const { helm, ...defaults } = helmOf(environment)
  const chart = usable({ ...defaults, ...own })
  const additional = (chart.additionalValuesFiles ?? []).map(path => load(loader, path))
  return async () => {
    loader.noteOutside()
    try {
      const text = await render(chart, additional, helm, loader, schema)
      const resources = readRendered(text, environment, { file, overlay: loader.directory })
      for (const resource of resources) resource.remember({ fromHelm: true })
      return resources
    } catch (error) {
      const place = { file, field: 'helmCharts' }
      if (error instanceof BudgetExceeded) throw error
      if (error instanceof KustomizeError) throw located(error, place)
      throw new KustomizeError((error as Error).message, place, error)
    }
  }
}

/** A chart with everything needed to render it. */
interface UsableChart extends HelmChart {
  readonly name: string
}

/** Names become command line arguments: none may look like an option. */
const usable = (chart: HelmChart): UsableChart => {
  const { name, releaseName, valuesMerge } = chart
  if (!name) throw new KustomizeError('chart name cannot be empty', { field: 'name' })
  if (releaseName?.startsWith('-'))
    throw new KustomizeError(`releaseName must not start with '-', got ${JSON.stringify(releaseName)}`, {
      field: 'releaseName',
    })
  if (name.startsWith('-'))
    throw new KustomizeError(`chart name must not start with '-', got ${JSON.stringify(name)}`, { field: 'name' })
  if (valuesMerge && !VALUES_MERGES.includes(valuesMerge as ValuesMerge))
    throw new KustomizeError(`valuesMerge must be one of [${VALUES_MERGES.join(' ')}]`, { field: 'valuesMerge' })
  return { ...chart, name }
}

const load = (loader: Loader, path: string): Uint8Array => {
  try {
    return loader.load(path)
  } catch (error) {
    throw wrapError('could not load additionalValuesFile', error, { field: 'additionalValuesFiles' })
  }
}

const render = async (
  chart: UsableChart,
  additional: readonly Uint8Array[],
  helm: Helm,
  loader: Loader,
  schema: Schema,
): Promise<string> => {
  const { name, valuesFile, valuesInline = {}, valuesMerge, apiVersions = [], ...rest } = chart
  const { includeCRDs = false, skipTests = false, skipHooks = false, devel = false, debug = false } = chart
  const { files, directory } = await filesOf(chart, helm, loader)
  const values = mergeValues(
    () =>
      valuesFile ? loader.load(valuesFile) : (files.get('values.yaml') ?? loader.load(`${directory}/values.yaml`)),
    valuesInline,
    (valuesMerge || 'override') as ValuesMerge,
    { schema, budget: loader.budget },
  )
  const { releaseName, nameTemplate, namespace, kubeVersion, configHome } = rest
  const names = { chartName: name, releaseName, nameTemplate, namespace, kubeVersion, configHome }
  const switches = { includeCRDs, skipTests, skipHooks, devel, debug }
  const inflation = { ...names, ...switches, files, values: [values, ...additional], apiVersions }
  return helm.template(inflation, loader.budget)
}

/** A chart in the tree takes precedence over the repository, whatever its version; with repo and version, its folder includes the version. */
const filesOf = async (
  { name, version, repo, chartHome, configHome, devel = false, debug = false }: UsableChart,
  helm: Helm,
  loader: Loader,
): Promise<{ files: ChartFiles; directory: string }> => {
  const home = `${chartHome || 'charts'}${version && repo ? `/${name}-${version}` : ''}`
  const directory = `${home}/${name}`
  const files = loader.filesBelow(directory)
  if (files.size > 0) return { files, directory }
  if (!repo)
    throw new KustomizeError("no repo specified for pull, no chart found at ''", {
      file: directory,
    })
  return { files: await helm.pull({ name, version, repo, devel, debug, configHome }), directory }
}

/** Helm may print messages before the first document. */
const readRendered = (text: string, context: ReadContext, origin: Resource['origin']): Resource[] => {
  try {
    return readResources(text, context, origin)
  } catch (error) {
    const start = text.indexOf('\n---\n')
    if (start < 0) throw error
    return readResources(text.slice(start), context, origin)
  }
}
