import { isObject, type JsonObject, type JsonValue } from '../../yaml/json-value.ts'

/** A type's fields that matter when patches are merged: where their type is, and whether they are lists that merge. */
export interface TypeTable {
  /** Index of the type of a field's value (or, for lists and maps, of its elements); absent when nothing below matters. */
  readonly [field: string]: FieldTable
}

/** [type of the value or its elements or -1, 'list' | 'map' | '', merge keys when patches merge into the list]. */
export type FieldTable = readonly [type: number, shape: '' | 'list' | 'map', mergeKeys?: readonly string[]]

/** The facts of an OpenAPI document that a build needs. */
export interface SchemaTable {
  readonly clusterScoped: readonly string[]
  readonly namespaced: readonly string[]
  /** Type index by `apiVersion/Kind`. */
  readonly kinds: Readonly<Record<string, number>>
  readonly types: readonly TypeTable[]
  /** Type index by the name of its definition, for other documents that refer to it. */
  readonly names: Readonly<Record<string, number>>
}

/** The field name under which a type says what all its further fields are. */
export const ANY_FIELD = '*'

/** Reads the merge facts out of a Swagger 2 document: of any schema, with its Kubernetes extensions. A base completes it. */
export const tableFromSwagger = (swagger: JsonObject, base?: SchemaTable): SchemaTable => {
  const definitions = isObject(swagger.definitions) ? swagger.definitions : {}
  const types: TypeTable[] = [...(base?.types ?? [])]
  const indexes = new Map<string, number>()

  /** What a schema refers to in the end, and its name there; what isn't said here, or refers to itself, is nothing. */
  const target = (schema: JsonObject): { name?: string | undefined; meant?: JsonObject } => {
    const names: string[] = []
    for (let meant: JsonValue | undefined = schema; isObject(meant); ) {
      const name = refName(meant)
      if (name === undefined) return { name: names.at(-1), meant }
      // What the base defines counts, as it is read last.
      if (base?.names[name] !== undefined || names.includes(name)) return { name }
      names.push(name)
      meant = definitions[name]
    }
    return { name: names.at(-1) }
  }

  const typeIndex = (schema: JsonValue | undefined): number => {
    if (!isObject(schema)) return -1
    const { name, meant } = target(schema)
    if (name === undefined) return inlineType(schema)
    const known = base?.names[name] ?? indexes.get(name)
    if (known !== undefined) return known
    const index = types.push({}) - 1
    indexes.set(name, index)
    if (meant) types[index] = fieldsOf(meant)
    return index
  }

  const inlineType = (schema: JsonObject): number => {
    const fields = fieldsOf(schema)
    return Object.keys(fields).length > 0 ? types.push(fields) - 1 : -1
  }

  const fieldsOf = (schema: JsonObject): TypeTable => {
    const fields: Record<string, FieldTable> = {}
    const properties = isObject(schema.properties) ? schema.properties : {}
    for (const name of Object.keys(properties)) fields[name] = fieldOf(properties[name])
    if (isObject(schema.additionalProperties)) fields[ANY_FIELD] = fieldOf(schema.additionalProperties)
    return fields
  }

  const fieldOf = (schema: JsonValue | undefined): FieldTable => {
    if (!isObject(schema)) return [-1, '']
    const { meant = {} } = target(schema)
    const keys = mergeKeysOf(meant)
    if (String(meant.type) === 'array' && isObject(meant.items))
      return keys ? [typeIndex(meant.items), 'list', keys] : [typeIndex(meant.items), 'list']
    return keys ? [-1, 'list', keys] : [typeIndex(schema), '']
  }

  const kinds: Record<string, number> = {}
  for (const name of Object.keys(definitions)) {
    const definition = definitions[name]
    const gvks = isObject(definition) ? definition['x-kubernetes-group-version-kind'] : undefined
    if (!Array.isArray(gvks)) continue
    const index = typeIndex({ $ref: `#/definitions/${name}` })
    for (const gvk of gvks) kinds[kindKeyOf(gvk)] = index
  }
  const names = Object.fromEntries(indexes)
  return {
    kinds: { ...kinds, ...base?.kinds },
    types,
    names: { ...names, ...base?.names },
    ...scopesOf(isObject(swagger.paths) ? swagger.paths : {}),
  }
}

const refName = (schema: JsonObject): string | undefined =>
  typeof schema.$ref === 'string' ? schema.$ref.replace(/^#\/definitions\//, '') : undefined

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
    const item = paths[path]
    const get = isObject(item) && isObject(item.get) ? item.get : undefined
    const gvk = get?.['x-kubernetes-group-version-kind']
    if (!isObject(gvk)) continue
    const key = kindKeyOf(gvk)
    const namespaced = path.includes('namespaces/{namespace}')
    if (namespaced || !namespacedByKind.has(key)) namespacedByKind.set(key, namespaced)
  }
  const select = (namespaced: boolean): string[] =>
    [...namespacedByKind].filter(([, value]) => value === namespaced).map(([key]) => key)
  return { clusterScoped: select(false), namespaced: select(true) }
}
