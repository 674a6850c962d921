import { isObject, type JsonObject, type JsonValue } from '../yaml/json-value.ts'
import { type FieldSpecs, NO_FIELD_SPECS } from './default-field-specs.ts'
import { type FieldSpec, fieldSpec } from './field-spec.ts'
import { decodeStruct, type StructForm } from './go-struct.ts'
import { wrapError, wrapping } from './kustomize-error.ts'
import type { Loader } from './loader.ts'
import { mergeFieldSpecs } from './merge-field-specs.ts'
import { yamlAsJson } from './read-field-specs.ts'

/** Reads which fields of custom kinds hold names, labels and annotations from their OpenAPI definitions (`crds`). */
export const readCrdSpecs = (paths: readonly string[], loader: Loader): FieldSpecs => {
  let specs = NO_FIELD_SPECS
  for (const path of paths) {
    const content = loader.load(path)
    const file = loader.resolve(path) ?? path
    let definitions: JsonObject
    try {
      const value = yamlAsJson(content, file, loader.budget)
      const isJson = content[0] === '{'.charCodeAt(0)
      definitions = isJson
        ? asDefinitions(value)
        : wrapping('error unmarshaling JSON: while decoding JSON', () => asDefinitions(value))
    } catch (error) {
      throw wrapError(`unable to parse open API definition from '${path}'`, error, { file })
    }
    for (const name of Object.keys(definitions)) {
      const properties = propertiesOf(definitions, name)
      const isKind = 'kind' in properties && 'apiVersion' in properties && 'metadata' in properties
      if (isKind) specs = mergeFieldSpecs(specs, specsOfKind(definitions, name))
    }
  }
  return specs
}

/** All definitions by name, with normalized field names. */
const asDefinitions = (value: JsonValue): JsonObject => {
  const definitions = isObject(value) ? value : decodeStruct(DEFINITIONS, value)
  return Object.fromEntries(Object.keys(definitions).map(name => [name, decodeStruct(DEFINITION, definitions[name]!)]))
}

const DEFINITIONS: StructForm = { struct: 'nameToApiMap', package: 'accumulator', fields: {} }
const DEFINITION: StructForm = { struct: 'OpenAPIDefinition', package: 'accumulator', fields: { Schema: 'any' } }

const propertiesOf = (definitions: JsonObject, name: string): JsonObject => {
  const { Schema: schema } = Object.hasOwn(definitions, name) ? (definitions[name] as JsonObject) : {}
  return isObject(schema) && isObject(schema.properties) ? schema.properties : {}
}

const specsOfKind = (definitions: JsonObject, kindName: string): FieldSpecs => {
  const kind = kindName.split('.').at(-1)!
  let specs = NO_FIELD_SPECS
  const add = (more: Partial<FieldSpecs>): void => {
    specs = mergeFieldSpecs(specs, { ...NO_FIELD_SPECS, ...more })
  }
  const visit = (typeName: string, path: readonly string[], seen: ReadonlySet<string>): void => {
    const properties = propertiesOf(definitions, typeName)
    for (const [name, property] of Object.entries(properties)) {
      if (!isObject(property)) continue
      const own = [...path, name]
      const here = (...more: string[]): FieldSpec => fieldSpec([...own, ...more].join('/'), { kind })
      const text = (key: string): string | undefined => (typeof property[key] === 'string' ? property[key] : undefined)
      if (text('x-kubernetes-annotation') !== undefined) add({ commonAnnotations: [here()] })
      if (text('x-kubernetes-label-selector') !== undefined) add({ commonLabels: [here()] })
      if (text('x-kubernetes-identity') !== undefined) add({ namePrefix: [here()] })
      const version = text('x-kubernetes-object-ref-api-version')
      const target = text('x-kubernetes-object-ref-kind')
      if (version !== undefined && target !== undefined) {
        const nameKey = text('x-kubernetes-object-ref-name-key') ?? 'name'
        add({ nameReference: [{ group: '', version, kind: target, referrers: [here(nameKey)] }] })
      }
      const reference = text('$ref')
      if (reference !== undefined && !seen.has(reference)) visit(reference, own, new Set([...seen, reference]))
    }
  }
  visit(kindName, [], new Set([kindName]))
  return specs
}
