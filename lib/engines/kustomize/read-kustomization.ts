import type { Budget } from '../../foundations/budget/budget.ts'
import type { JsonObject, JsonValue } from '../yaml/json-value.ts'
import { parseNodes } from '../yaml/parse.ts'
import { toJson } from '../yaml/to-json.ts'
import { spendOnJson } from '../yaml/tree-size.ts'
import { decodeStruct } from './go-struct.ts'
import type { GeneratorEntry, Kustomization } from './kustomization.ts'
import { KUSTOMIZATION } from './kustomization-form.ts'
import { KustomizeError, wrapError } from './kustomize-error.ts'

const VERSION = 'kustomize.config.k8s.io/v1beta1'
const COMPONENT_VERSION = 'kustomize.config.k8s.io/v1alpha1'

const LISTS = [
  'labels',
  'patchesStrategicMerge',
  'patchesJson6902',
  'patches',
  'replacements',
  'replicas',
  'vars',
  'components',
  'crds',
  'configurations',
  'generators',
  'transformers',
  'validators',
  'buildMetadata',
] as const

const EDIT_FIX = "Run 'kustomize edit fix' to update your Kustomization automatically."
const DEPRECATED: readonly (readonly [field: string, replacement: string, hint: string])[] = [
  ['bases', 'resources', EDIT_FIX],
  ['commonLabels', 'labels', EDIT_FIX],
  ['imageTags', 'images', EDIT_FIX],
  ['patchesJson6902', 'patches', EDIT_FIX],
  ['patchesStrategicMerge', 'patches', EDIT_FIX],
  ['vars', 'replacements', `[EXPERIMENTAL] ${EDIT_FIX}`],
]

export interface ReadKustomization {
  readonly kustomization: Kustomization
  /** Deprecated fields, worded as in kustomize. */
  readonly warnings: readonly string[]
}

/** Reads and checks a kustomization.yaml; `root` is its directory as messages show it, `file` its path. */
export const readKustomization = (
  content: Uint8Array | string,
  root: string,
  file: string,
  budget: Budget,
): ReadKustomization => {
  const raw = decodeKustomization(content, file, budget)
  const warnings = DEPRECATED.filter(([field]) => raw[field] !== undefined).map(
    ([field, replacement, hint]) => `# Warning: '${field}' is deprecated. Please use '${replacement}' instead. ${hint}`,
  )
  if (Object.entries(raw).every(([name, value]) => isEmptyField(name, value)))
    throw new KustomizeError('kustomization.yaml is empty', { file })
  const kustomization = withDefaults(raw)
  const problems = problemsOf(kustomization)
  if (problems.length > 0)
    throw new KustomizeError(`Failed to read kustomization file under ${root}:\n${problems.join('\n')}`, {
      file,
      field: problems[0]!.startsWith('kind') ? 'kind' : 'apiVersion',
    })
  return { kustomization, warnings }
}

const OLD_NAMES = ['bases', 'imageTags', 'helmChartInflationGenerator']

/** kustomize treats empty lists and maps as set, except under deprecated names: those add nothing. */
const isEmptyField = (name: string, value: JsonValue): boolean =>
  name === 'apiVersion' || name === 'kind' || value === '' || (OLD_NAMES.includes(name) && isEmptyList(value))

const isEmptyList = (value: JsonValue): boolean => Array.isArray(value) && value.length === 0

const decodeKustomization = (content: Uint8Array | string, file: string, budget: Budget): JsonObject => {
  try {
    const root = parseNodes(content, budget)[0]
    const value: JsonValue = root ? toJson(root, { schema: 'kubernetes', lastKeyWins: true }) : null
    spendOnJson(budget, value, file)
    return decodeStruct(KUSTOMIZATION, value, { strict: true })
  } catch (error) {
    throw wrapError('invalid Kustomization', error, { file })
  }
}

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : [])
const textOf = (value: JsonValue | undefined): string => (value ?? '') as string

const withDefaults = (raw: JsonObject): Kustomization => {
  const kind = textOf(raw.kind) || 'Kustomization'
  const oldCharts = listOf(raw.helmChartInflationGenerator).map(chart => (chart ?? {}) as JsonObject)
  const lists = Object.fromEntries(LISTS.map(name => [name, listOf(raw[name])]))
  return {
    ...lists,
    kind,
    apiVersion: textOf(raw.apiVersion) || (kind === 'Component' ? COMPONENT_VERSION : VERSION),
    openapi: raw.openapi,
    namePrefix: textOf(raw.namePrefix),
    nameSuffix: textOf(raw.nameSuffix),
    namespace: textOf(raw.namespace),
    commonLabels: raw.commonLabels ?? {},
    commonAnnotations: raw.commonAnnotations ?? {},
    sortOptions: raw.sortOptions,
    generatorOptions: raw.generatorOptions,
    resources: [...listOf(raw.resources), ...listOf(raw.bases)],
    images: [...listOf(raw.images), ...listOf(raw.imageTags)],
    configMapGenerator: listOf(raw.configMapGenerator).map(withEnvs),
    secretGenerator: listOf(raw.secretGenerator).map(withEnvs),
    helmGlobals: raw.helmGlobals ?? globalsOf(oldCharts),
    helmCharts: [...listOf(raw.helmCharts), ...oldCharts.map(chartOf)],
  } as unknown as Kustomization
}

const withEnvs = (value: JsonValue): GeneratorEntry => {
  const { env, ...entry } = value as unknown as GeneratorEntry
  return env ? { ...entry, envs: [...(entry.envs ?? []), env] } : entry
}

const globalsOf = (charts: readonly JsonObject[]): JsonObject => {
  const globals: JsonObject = {}
  for (const { helmHome, chartHome } of charts) {
    if (helmHome) globals.configHome = helmHome
    if (chartHome) globals.chartHome = chartHome
  }
  return globals
}

/** Converts a chart of the deprecated helmChartInflationGenerator field to the current form. */
const chartOf = (old: JsonObject): JsonObject => {
  const chart: Record<string, JsonValue | undefined> = {
    name: old.chartName,
    version: old.chartVersion,
    repo: old.chartRepoUrl,
    valuesFile: old.values,
    valuesInline: old.valuesLocal,
    valuesMerge: old.valuesMerge,
    releaseName: old.releaseName,
  }
  return Object.fromEntries(Object.entries(chart).filter(([, value]) => value !== undefined)) as JsonObject
}

const problemsOf = ({ kind, apiVersion }: Kustomization): string[] => {
  const problems: string[] = []
  if (kind !== 'Kustomization' && kind !== 'Component') problems.push('kind should be Kustomization or Component')
  const required = kind === 'Component' ? COMPONENT_VERSION : VERSION
  if (apiVersion !== required) problems.push(`apiVersion for ${kind} should be ${required}`)
  return problems
}
