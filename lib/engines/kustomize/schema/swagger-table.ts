import { isObject, type JsonObject, type JsonValue } from '../../yaml/json-value.ts'
import { KustomizeError } from '../kustomize-error.ts'

/** The fields of a type that matter for merging patches. */
export interface TypeTable {
  readonly [field: string | symbol]: FieldTable
}

/** The type of a field's value, and for merged lists the merge keys and the element type; -1 if nothing below matters. */
export type FieldTable = readonly [type: number, mergeKeys?: readonly string[], elements?: number]

/** The parts of an OpenAPI document that a build needs. */
export interface SchemaTable {
  readonly clusterScoped: readonly string[]
  readonly namespaced: readonly string[]
  /** Type index by `apiVersion/Kind`. */
  readonly kinds: Readonly<Record<string, number>>
  readonly types: readonly TypeTable[]
  /** Type index by the JSON pointer to its definition, for references from other documents. */
  readonly names: Readonly<Record<string, number>>
}

/** The key for a type's additional properties. */
export const ANY_FIELD = Symbol()

/**
 * Extracts the merge data from a Swagger 2 document: of any schema, with its Kubernetes extensions. Missing definitions are looked up in
 * `base`.
 */
export const tableFromSwagger = (swagger: JsonObject, base?: SchemaTable): SchemaTable => {
  const definitions = objectIn(swagger.definitions)
  const types: TypeTable[] = [...(base?.types ?? [])]
  const indexes = new Map(Object.entries(base?.names ?? {}))

  /** The final target of a schema's references, and its pointer; unknown or circular references resolve to nothing. */
  const target = (schema: JsonObject): { pointer?: string | undefined; meant: JsonObject } => {
    const pointers: string[] = []
    for (let meant = schema; ; ) {
      const pointer = pointerOf(meant)
      if (pointer === undefined) return { pointer: pointers.at(-1), meant }
      if (pointers.includes(pointer)) return { pointer, meant: {} }
      pointers.push(pointer)
      meant = objectIn(placeIn({ definitions }, pointer))
    }
  }

  const typeIndex = (schema: JsonObject): number => {
    const { pointer, meant } = target(schema)
    if (pointer === undefined) return types.push(fieldsOf(schema)) - 1
    const known = indexes.get(pointer)
    if (known !== undefined) return known
    const index = types.length
    types.push({})
    indexes.set(pointer, index)
    types[index] = fieldsOf(meant)
    return index
  }

  const fieldsOf = ({ properties, additionalProperties }: JsonObject): TypeTable => ({
    ...Object.fromEntries(
      Object.entries(objectIn(properties)).map(([name, schema]) => [name, fieldOf(objectIn(schema))]),
    ),
    ...(isObject(additionalProperties) && { [ANY_FIELD]: fieldOf(additionalProperties) }),
  })

  const fieldOf = (schema: JsonObject): FieldTable => {
    const { type, items, ...meant } = target(schema).meant
    const mergeKeys = mergeKeysOf(meant)
    if (!mergeKeys) return [typeIndex(schema)]
    return [typeIndex(schema), mergeKeys, String(type) === 'array' ? typeIndex(objectIn(items)) : -1]
  }

  const kinds: Record<string, number> = {}
  const own = Object.entries(definitions).map(([name, definition]) => {
    const pointer = `/definitions/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const index = indexes.get(pointer) ?? types.length
    types[index] = {}
    indexes.set(pointer, index)
    return { definition: objectIn(definition), index }
  })
  for (const { definition, index } of own) {
    types[index] = fieldsOf(target(definition).meant)
    const gvks = definition['x-kubernetes-group-version-kind']
    if (Array.isArray(gvks)) for (const gvk of gvks) kinds[kindKeyOf(gvk)] = index
  }
  return {
    kinds: { ...base?.kinds, ...kinds },
    types,
    names: Object.fromEntries(indexes),
    ...scopesOf(objectIn(swagger.paths)),
  }
}

/** An object; empty if absent. Fails on any other value. */
export const objectIn = (value: JsonValue | undefined): JsonObject => {
  if (value !== undefined && value !== null && !isObject(value))
    throw new KustomizeError(`${JSON.stringify(value)} is not an object`)
  return value ?? {}
}

/** The fragment of a reference: a JSON pointer. */
const pointerOf = ({ $ref }: JsonObject): string | undefined =>
  typeof $ref === 'string' && $ref !== '' ? $ref.replace(/[^#]*#?/, '') : undefined

const placeIn = (document: JsonObject, pointer: string): JsonValue | undefined =>
  pointer
    .split('/')
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<JsonValue | undefined>((at, part) => (isObject(at) ? at[part] : undefined), { '': document })

const kindKeyOf = (gvk: JsonValue | undefined): string => {
  const { group, version, kind } = isObject(gvk) ? gvk : {}
  return group ? `${group}/${version}/${kind}` : `${version}/${kind}`
}

const mergeKeysOf = (schema: JsonObject): readonly string[] | undefined => {
  const strategy = schema['x-kubernetes-patch-strategy']
  if (typeof strategy !== 'string' || !strategy.split(',').includes('merge')) return undefined
  const list = schema['x-kubernetes-list-map-keys']
  if (Array.isArray(list)) return list.map(String)
  const key = schema['x-kubernetes-patch-merge-key']
  return typeof key === 'string' ? [key] : []
}

const scopesOf = (paths: JsonObject): Pick<SchemaTable, 'clusterScoped' | 'namespaced'> => {
  const namespacedByKind = new Map<string, boolean>()
  for (const path of Object.keys(paths)) {
    const gvk = objectIn(objectIn(paths[path]).get)['x-kubernetes-group-version-kind']
    if (!isObject(gvk)) continue
    const key = kindKeyOf(gvk)
    const namespaced = path.includes('namespaces/{namespace}')
    if (namespaced || !namespacedByKind.has(key)) namespacedByKind.set(key, namespaced)
  }
  const select = (namespaced: boolean): string[] =>
    [...namespacedByKind].filter(([, value]) => value === namespaced).map(([key]) => key)
  return { clusterScoped: select(false), namespaced: select(true) }
}
