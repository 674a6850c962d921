import { isObject, type JsonObject } from '../../../engines/yaml/json-value.ts'
import { parseYaml } from '../../../engines/yaml/parse.ts'

/** The fields of a credentials entry, YAML or JSON. Errors quote nothing from the text. */
export const keyFields = (text: string): JsonObject => {
  let found: unknown
  try {
    found = parseYaml(text)[0]
  } catch {
    throw new Error('it is neither YAML nor JSON')
  }
  if (isObject(found)) return found
  throw new Error('it has no fields')
}

/** Undefined if the field is missing, empty, or not a string. */
export const textField = (fields: JsonObject, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
