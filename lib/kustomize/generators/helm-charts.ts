import { emitJson } from '../../yaml/emit-json.ts'
import type { JsonObject, JsonValue } from '../../yaml/json-value.ts'
import type { Target } from '../kustomization-target.ts'
import { KustomizeError } from '../kustomize-error.ts'
import type { Generator } from '../plugins/plugin.ts'
import { readResources } from '../read-resources.ts'
import type { Resource } from '../resource.ts'
import type { Schema } from '../schema/schema.ts'

/** A chart that a kustomization wants rendered. */
export interface HelmChart {
  /** The entry of `helmCharts`; its namespace is that of the kustomizations around it when it has none of its own. */
  readonly entry: JsonObject
  /** `helmGlobals`. */
  readonly globals: JsonObject
  /** The chart's files where the tree has them, by path in the chart; empty when it is to be pulled from its repository. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Reads a file of values that the entry names, as far as the kustomization may. */
  read(path: string): Uint8Array
}

/** Renders a chart: what `helm template` prints. */
export type HelmInflator = (chart: HelmChart) => Promise<string>

/** The generators of a kustomization's charts; all are checked before the first is rendered. */
export const helmGenerators = (
  target: Target,
  schema: Schema,
  inflate: HelmInflator | undefined,
  origin: Generator['origin'],
): Generator[] => {
  const { kustomization, file } = target
  const globals = kustomization.helmGlobals ?? {}
  return kustomization.helmCharts.map(own => {
    const entry = own.namespace || !target.namespace ? own : { ...own, namespace: target.namespace }
    const problem = inflate ? problemOf(entry) : 'must specify --enable-helm'
    if (problem !== undefined || !inflate)
      throw new KustomizeError(
        `trouble configuring builtin HelmChartInflationGenerator with config: \`\n${shown({ ...globals, ...entry })}\`: ${problem}`,
        { file, field: 'helmCharts' },
      )
    return { ...(origin && { origin }), generate: () => generate(target, schema, inflate, entry, globals) }
  })
}

const VALUES_MERGES: readonly JsonValue[] = ['merge', 'override', 'replace']

const problemOf = ({ name, valuesMerge }: JsonObject): string | undefined => {
  if (!name) return 'chart name cannot be empty'
  if (valuesMerge && !VALUES_MERGES.includes(valuesMerge))
    return `valuesMerge must be one of [${VALUES_MERGES.join(' ')}]`
  return undefined
}

/** As kustomize prints the configuration: without what is empty. */
const shown = (config: JsonObject): string =>
  emitJson(Object.fromEntries(Object.entries(config).filter(([, value]) => !isEmpty(value))) as JsonObject)

const isEmpty = (value: JsonValue | undefined): boolean =>
  !value || (typeof value === 'object' && Object.keys(value).length === 0)

const generate = async (
  { loader, file }: Target,
  schema: Schema,
  inflate: HelmInflator,
  entry: JsonObject,
  globals: JsonObject,
): Promise<Resource[]> => {
  loader.noteOutside()
  const files = loader.filesBelow(`${globals.chartHome || 'charts'}/${entry.name}`)
  try {
    const text = await inflate({ entry, globals, files, read: path => loader.load(path) })
    const resources = readRendered(text, schema, { file, overlay: loader.directory })
    for (const resource of resources) resource.fromHelm = true
    return resources
  } catch (error) {
    if (error instanceof KustomizeError) throw error
    throw new KustomizeError((error as Error).message, { file, field: 'helmCharts' }, error)
  }
}

/** Helm may print messages before the first document. */
const readRendered = (text: string, schema: Schema, origin: Resource['origin']): Resource[] => {
  try {
    return readResources(text, schema, origin)
  } catch (error) {
    const start = text.indexOf('\n---\n')
    if (start < 0) throw error
    return readResources(text.slice(start), schema, origin)
  }
}
