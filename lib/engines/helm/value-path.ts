import type { Value, ValueMap } from '../template/values/value.ts'
import { isTable } from './read-yaml.ts'

/** The map at a dotted path; undefined if there is none. */
export const tableAt = (values: ValueMap, path: string): ValueMap | undefined => {
  let table: Value = values
  for (const key of path.split('.')) {
    table = table.get(key)
    if (!isTable(table)) return undefined
  }
  return table
}

/** The value at a dotted path unless it is a map; undefined if there is none. */
export const valueAt = (values: ValueMap, path: string): Value => {
  const dot = path.lastIndexOf('.')
  const table = dot < 0 ? values : tableAt(values, path.slice(0, dot))
  const value = table?.get(path.slice(dot + 1))
  return isTable(value) ? undefined : value
}
