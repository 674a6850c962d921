import { errorMessage } from '../../foundations/rules/error-message.ts'
import { parseConstraint } from '../semver/constraint.ts'
import { parseVersion } from '../semver/version.ts'
import type { ValueMap } from '../template/values/value.ts'
import { type ChartNode, copyNode, type Requirement } from './chart-tree.ts'
import { coalesceValues } from './coalesce.ts'
import { HelmError } from './helm-error.ts'
import { importValues } from './import-values.ts'
import { isTable } from './read-yaml.ts'
import { valueAt } from './value-path.ts'

/**
 * Decides which dependencies are enabled (conditions before tags), applies aliases, and imports exported values into the parents.
 * Changes the tree. Throws HelmError.
 */
export const processDependencies = (chart: ChartNode, values: ValueMap): void => {
  try {
    dropDisabled(chart, values, '')
    importValues(chart)
  } catch (error) {
    throw new HelmError(`chart dependencies processing failed: ${errorMessage(error)}`, error)
  }
}

/** `path` is where the chart's values are in the root's values, with a dot at its end. */
const dropDisabled = (chart: ChartNode, values: ValueMap, path: string): void => {
  const { requirements } = chart
  // Without `dependencies` in Chart.yaml, everything in charts/ is enabled.
  if (!requirements) return
  chart.dependencies = namedDependencies(chart.dependencies, requirements)
  for (const requirement of requirements) {
    requirement.name = requirement.alias || requirement.name
    requirement.enabled = true
  }
  const all = coalesceValues(chart, values, 'delete')
  applyTags(requirements, all)
  applyConditions(requirements, all, path)
  const disabled = new Set(requirements.filter(({ enabled }) => !enabled).map(({ name }) => name))
  chart.dependencies = chart.dependencies.filter(({ name }) => !disabled.has(name))
  // Helm treats an empty list like a missing one.
  const enabled = requirements.filter(({ name }) => !disabled.has(name))
  chart.requirements = enabled.length > 0 ? enabled : undefined
  for (const dependency of chart.dependencies) dropDisabled(dependency, all, `${path}${dependency.name}.`)
}

/** The charts that Chart.yaml doesn't list, then one per dependency, under its alias. */
const namedDependencies = (charts: readonly ChartNode[], requirements: readonly Requirement[]): ChartNode[] => {
  const fits = (chart: ChartNode, { name, version }: Requirement) =>
    chart.name === name && isCompatible(version ?? '', chart.metadata.version)
  const unlisted = charts.filter(chart => !requirements.some(requirement => fits(chart, requirement)))
  const listed = requirements.flatMap(requirement => {
    const chart = charts.find(candidate => fits(candidate, requirement))
    return chart ? [copyNode(chart, requirement.alias || chart.name)] : []
  })
  return [...unlisted, ...listed]
}

/** Whether a version is in a range; false if either is invalid. */
export const isCompatible = (range: string, version: string): boolean => {
  try {
    return parseConstraint(range).matches(parseVersion(version))
  } catch {
    return false
  }
}

const applyTags = (requirements: readonly Requirement[], values: ValueMap): void => {
  const tags = values.get('tags')
  if (!isTable(tags)) return
  for (const requirement of requirements) {
    const set = (requirement.tags ?? []).map(tag => tags.get(tag))
    requirement.enabled = set.includes(true) || !set.includes(false)
  }
}

/** The first path with a boolean decides. */
const applyConditions = (requirements: readonly Requirement[], values: ValueMap, path: string): void => {
  for (const requirement of requirements) {
    for (const condition of (requirement.condition ?? '').trim().split(',')) {
      const value = condition === '' ? undefined : valueAt(values, path + condition)
      if (typeof value !== 'boolean') continue
      requirement.enabled = value
      break
    }
  }
}
