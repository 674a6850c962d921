import type { Schema, TypeSchema } from './schema.ts'
import { ANY_FIELD, type FieldTable, type SchemaTable } from './swagger-table.ts'

/** Answers questions about kinds out of a table. */
export const tableSchema = (table: SchemaTable): Omit<Schema, 'described'> => {
  const clusterScoped = new Set(table.clusterScoped)
  const kinds = new Map(Object.entries(table.kinds))
  const cache = new Map<string, TypeSchema>()

  /** A value of a type, or a list or map of such values. */
  const schemaAt = (type: number, shape: FieldTable[1], mergeKeys: readonly string[] | undefined): TypeSchema => {
    const key = `${type}${shape}${mergeKeys?.join(',') ?? '-'}`
    let schema = cache.get(key)
    if (!schema) {
      schema = makeSchema(type, shape, mergeKeys)
      cache.set(key, schema)
    }
    return schema
  }

  const makeSchema = (type: number, shape: FieldTable[1], mergeKeys: readonly string[] | undefined): TypeSchema => ({
    mergeKeys,
    elements: () => (shape === 'list' ? schemaAt(type, '', undefined) : undefined),
    field(name) {
      if (shape !== '' || type < 0) return undefined
      const fields = table.types[type]!
      const found = Object.hasOwn(fields, name) ? fields[name] : fields[ANY_FIELD]
      return found && schemaAt(found[0], found[1], found[2])
    },
  })

  return {
    isClusterScoped: (apiVersion, kind) => clusterScoped.has(`${apiVersion}/${kind}`),
    typeOf(apiVersion, kind) {
      const type = kinds.get(`${apiVersion}/${kind}`)
      return type === undefined ? undefined : schemaAt(type, '', undefined)
    },
  }
}
