import type { Value, ValueMap } from '../template/values/value.ts'
import type { Chart, ChartDependency, ChartFile, ChartMetadata } from './chart.ts'

/** A dependency of Chart.yaml while Helm decides whether it is enabled. */
export interface Requirement extends Omit<ChartDependency, 'name'> {
  /** The alias, once it has been applied. */
  name: string
  enabled: boolean
}

/** A chart and its subcharts, with what Helm decides before it renders: aliases, enabled dependencies, imported values. */
export interface ChartNode {
  name: string
  readonly metadata: ChartMetadata
  /** undefined if Chart.yaml has no `dependencies`. */
  requirements: Requirement[] | undefined
  values: ValueMap
  readonly schema: Uint8Array | undefined
  readonly templates: readonly ChartFile[]
  readonly files: readonly ChartFile[]
  dependencies: ChartNode[]
}

/** Builds the tree. */
export const chartTree = (chart: Chart): ChartNode => ({
  name: chart.metadata.name,
  metadata: chart.metadata,
  requirements: chart.metadata.dependencies?.map(dependency => ({ ...dependency, enabled: false })),
  values: chart.values?.tables ?? new Map(),
  schema: chart.schema,
  templates: chart.templates,
  files: chart.files,
  dependencies: chart.dependencies.map(dependency => chartTree(dependency)),
})

/** A copy under another name; later changes to one don't affect the other. */
export const copyNode = (node: ChartNode, name: string): ChartNode => ({
  ...node,
  name,
  requirements: node.requirements?.map(requirement => ({ ...requirement })),
  dependencies: node.dependencies.map(dependency => copyNode(dependency, dependency.name)),
})

/** Deep copy of maps and lists. */
export function copyValue(value: ValueMap): ValueMap
export function copyValue(value: Value): Value
export function copyValue(value: Value): Value {
  if (Array.isArray(value)) return value.map(item => copyValue(item))
  if (!(value instanceof Map)) return value
  const copy: ValueMap = new Map()
  for (const [key, item] of value) copy.set(key, copyValue(item))
  return copy
}
