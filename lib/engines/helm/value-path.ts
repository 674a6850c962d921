import type { Value, ValueMap } from '../template/values/value.ts'
import { isTable } from './read-yaml.ts'

/** The mapping at a path of keys between dots; undefined where there is none. */
export const tableAt = (values: ValueMap, path: string): ValueMap | undefined => {
  let table: Value = values
  for (const key of path.split('.')) {
    table = table.get(key)
    if (!isTable(table)) return undefined
  }
  return table
}

/** What stands at a path and is no mapping; undefined where there is nothing. */
export const valueAt = (values: ValueMap, path: string): Value => {
  const dot = path.lastIndexOf('.')
  const table = dot < 0 ? values : tableAt(values, path.slice(0, dot))
  const value = table?.get(path.slice(dot + 1))
  return isTable(value) ? undefined : value
}
