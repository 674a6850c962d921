import { sprintf } from '../template/format/sprintf.ts'
import type { Value, ValueMap } from '../template/values/value.ts'
import { type ChartNode, copyValue } from './chart-tree.ts'
import { HelmError } from './helm-error.ts'
import { isTable } from './read-yaml.ts'

/** Whether null deletes a key now, or is kept for a later step. */
export type Nulls = 'delete' | 'keep'

/**
 * The values that a chart and its subcharts get, in one map: user values override the chart's, a parent's override its
 * subchart's, and globals are passed down. Maps are merged, anything else is replaced; with `delete`, null removes a default of the
 * chart. Throws HelmError if a subchart's values are not a map.
 */
export const coalesceValues = (chart: ChartNode, values: ValueMap, nulls: Nulls): ValueMap =>
  coalesce(chart, copyValue(values), nulls)

const coalesce = (chart: ChartNode, target: ValueMap, nulls: Nulls): ValueMap => {
  addDefaults(chart, target, nulls)
  for (const subchart of chart.dependencies) {
    const { name } = subchart
    const given = target.has(name) ? target.get(name) : new Map<string, Value>()
    if (!isTable(given)) throw new HelmError(`type mismatch on ${name}: ${sprintf('%t', [given])}`)
    target.set(name, given)
    passGlobals(given, target)
    target.set(name, coalesce(subchart, given, nulls))
  }
  return target
}

/** Adds the chart's defaults beneath the values already present. */
const addDefaults = (chart: ChartNode, target: ValueMap, nulls: Nulls): void => {
  for (const [key, value] of copyValue(chart.values)) {
    if (!target.has(key)) {
      if (nulls === 'delete') {
        if (value === null) continue
        if (isTable(value)) dropNulls(value)
      }
      target.set(key, value)
      continue
    }
    const present = target.get(key)
    if (present === null && nulls === 'delete') target.delete(key)
    else if (isTable(present) && isTable(value)) {
      const ofSubchart = chart.dependencies.some(({ name }) => name === key)
      const inside: Nulls = ofSubchart ? 'keep' : nulls
      if (inside === 'delete') dropNulls(value)
      mergeTables(present, value, inside)
    }
  }
}

/** Passes a parent's globals down; they override the subchart's. */
const passGlobals = (target: ValueMap, source: ValueMap): void => {
  const own = target.has('global') ? target.get('global') : new Map<string, Value>()
  const given = source.has('global') ? source.get('global') : new Map<string, Value>()
  if (!isTable(own) || !isTable(given)) return
  for (const [key, value] of given) {
    const present = own.get(key)
    if (isTable(value)) {
      const copy = new Map(value)
      if (!own.has(key)) own.set(key, copy)
      else if (isTable(present)) own.set(key, mergeTables(copy, present, 'keep'))
    } else if (!isTable(present)) own.set(key, value)
  }
  target.set('global', own)
}

/**
 * Merges `source` beneath `target`, and returns `target`. Changes both, as Helm does. With `delete`, null in the target removes the
 * key that the source has.
 */
export const mergeTables = (target: ValueMap, source: ValueMap, nulls: Nulls): ValueMap => {
  const given = new Set([...source].filter(([, value]) => value !== null).map(([key]) => key))
  for (const [key, value] of target) if (value === null) source.set(key, null)
  for (const [key, value] of source) {
    const present = target.get(key)
    if (target.has(key) && nulls === 'delete' && present === null && given.has(key)) target.delete(key)
    else if (!target.has(key)) target.set(key, value)
    else if (isTable(value) && isTable(present)) mergeTables(present, value, nulls)
  }
  return target
}

const dropNulls = (table: ValueMap): void => {
  for (const [key, value] of table) {
    if (value === null) table.delete(key)
    else if (isTable(value)) dropNulls(value)
  }
}
