import { formatValue } from '../template/format/format-value.ts'
import { fromJson } from '../template/values/from-json.ts'
import type { ValueMap } from '../template/values/value.ts'
import { type ChartNode, copyValue } from './chart-tree.ts'
import { coalesceValues, mergeTables } from './coalesce.ts'
import { isTable } from './read-yaml.ts'
import { tableAt } from './value-path.ts'

/**
 * Imports values from subcharts into their parents (`import-values`), bottom up. The parent's own values win. Two side effects can be seen, in
 * templates and in what is stored of a release: a chart that lists dependencies gets its subcharts' defaults among its own, and its entries become pairs.
 */
export const importValues = (chart: ChartNode): void => {
  for (const dependency of chart.dependencies) importValues(dependency)
  if (!chart.requirements) return
  const values = coalesceValues(chart, new Map(), 'keep')
  const imported: ValueMap = new Map()
  chart.requirements = chart.requirements.map(requirement => {
    const pairs = (requirement['import-values'] ?? []).flatMap(importOf)
    for (const { child, parent } of pairs) {
      const table = tableAt(values, `${requirement.name}.${child}`)
      if (table) mergeTables(imported, below(parent, table), 'keep')
    }
    return { ...requirement, 'import-values': pairs }
  })
  chart.values = mergeTables(copyValue(values), imported, 'keep')
}

/** The path of a value in a subchart, and where it goes in the parent; `.` is its top level. */
export interface ImportPair {
  readonly child: string
  readonly parent: string
}

/** Imports `exports.NAME` to the parent's top level, or one path to another. */
const importOf = (entry: unknown): ImportPair[] => {
  if (typeof entry === 'string') return [{ child: `exports.${entry}`, parent: '.' }]
  const value = fromJson(entry)
  if (!isTable(value)) return []
  return [{ child: textOf(value, 'child'), parent: textOf(value, 'parent') }]
}

const textOf = (entry: ValueMap, key: string): string => {
  const value = entry.get(key)
  return value === undefined || value === null ? '<nil>' : formatValue(value)
}

const below = (path: string, table: ValueMap): ValueMap => {
  if (path === '.') return table
  return path
    .split('.')
    .reverse()
    .reduce<ValueMap>((inner, key) => new Map([[key, inner]]), table)
}
