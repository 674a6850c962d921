import { isObject, type JsonObject } from '../../../engines/yaml/json-value.ts'
import { parseYaml } from '../../../engines/yaml/parse.ts'

/** The fields of a credentials entry, YAML or JSON. Fails without a word of what the text holds. */
export const keyFields = (text: string): JsonObject => {
  let found: unknown
  try {
    found = parseYaml(text)[0]
  } catch {
    throw new Error('it is neither YAML nor JSON')
  }
  if (isObject(found)) return found
  throw new Error('it holds no fields')
}

/** undefined when a field is missing, empty, or no text. */
export const textField = (fields: JsonObject, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
