import { formatValue } from '../template/format/format-value.ts'
import { fromJson } from '../template/values/from-json.ts'
import type { ValueMap } from '../template/values/value.ts'
import { type ChartNode, copyValue } from './chart-tree.ts'
import { coalesceValues, mergeTables } from './coalesce.ts'
import { isTable } from './read-yaml.ts'
import { tableAt } from './value-path.ts'

/**
 * Imports values from subcharts into their parents (`import-values`), bottom up. The parent's own values win. Templates can see a side
 * effect: a chart that lists dependencies gets its subcharts' defaults among its own.
 */
export const importValues = (chart: ChartNode): void => {
  for (const dependency of chart.dependencies) importValues(dependency)
  if (!chart.requirements) return
  const values = coalesceValues(chart, new Map(), 'keep')
  const imported: ValueMap = new Map()
  for (const { name, 'import-values': imports = [] } of chart.requirements) {
    for (const { child, parent } of imports.flatMap(importOf)) {
      const table = tableAt(values, `${name}.${child}`)
      if (table) mergeTables(imported, below(parent, table), 'keep')
    }
  }
  chart.values = mergeTables(copyValue(values), imported, 'keep')
}

/** Imports `exports.NAME` to the parent's top level, or one path to another. */
const importOf = (entry: unknown): { readonly child: string; readonly parent: string }[] => {
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
