import type { Budget } from '../../foundations/budget/budget.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { Value, ValueMap } from '../template/values/value.ts'
import type { Chart, ChartDependency, ChartFile, ChartMetadata } from './chart.ts'
import { HelmError } from './helm-error.ts'
import { readValues } from './read-yaml.ts'

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

/** Builds the tree and reads each chart's values. Throws HelmError. */
export const chartTree = (chart: Chart, budget?: Budget): ChartNode => ({
  name: chart.metadata.name,
  metadata: chart.metadata,
  requirements: chart.metadata.dependencies?.map(dependency => ({ ...dependency, enabled: false })),
  values: chart.values ? ownValues(chart.values, budget) : new Map(),
  schema: chart.schema,
  templates: chart.templates,
  files: chart.files,
  dependencies: chart.dependencies.map(dependency => chartTree(dependency, budget)),
})

const ownValues = (content: Uint8Array, budget: Budget | undefined): ValueMap => {
  try {
    return readValues(content, budget)
  } catch (error) {
    throw new HelmError(`cannot load values.yaml: ${errorMessage(error)}`, error)
  }
}

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
