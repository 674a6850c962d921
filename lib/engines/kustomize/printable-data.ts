import { goSyntax } from '../yaml/go-syntax.ts'
import { isObject, type JsonObject, type JsonValue } from '../yaml/json-value.ts'
import { toJson } from '../yaml/to-json.ts'
import { UnsupportedData } from '../yaml/yaml-error.ts'
import { KustomizeError } from './kustomize-error.ts'
import type { Resource } from './resource.ts'

/** An object as data to print. An error contains the whole object, as kustomize's does. */
export const printableData = (resource: Resource): JsonObject => {
  try {
    return resource.toJson()
  } catch (error) {
    if (!(error instanceof KustomizeError)) throw error
    throw new KustomizeError(`${shown(resource)}: ${error.message}`, error, error.cause)
  }
}

/** The object's data before it is printed, if any. */
const shown = ({ kind, view }: Resource): string => {
  try {
    return goSyntax(showable(kind, toJson(view!, { schema: 'kyaml' })))
  } catch (error) {
    return error instanceof UnsupportedData ? goSyntax(showable(kind, error.data)) : 'map[string]interface {}(nil)'
  }
}

/** kustomize prints the whole object; we leave out a Secret's data. */
const showable = (kind: string, data: JsonValue): JsonValue => {
  if (kind !== 'Secret' || !isObject(data)) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, /data$/i.test(key) ? '**' : value]))
}
