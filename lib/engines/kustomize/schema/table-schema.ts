import type { Schema, TypeSchema } from './schema.ts'
import { ANY_FIELD, type FieldTable, type SchemaTable } from './swagger-table.ts'

/** Looks up types of kinds in a table. */
export const typesIn = ({ kinds, types }: Pick<SchemaTable, 'kinds' | 'types'>): Schema['typeOf'] => {
  const indexes = new Map(Object.entries(kinds))

  const schemaOf = (...[type, mergeKeys, elements = -1]: FieldTable): TypeSchema => ({
    mergeKeys,
    elements: () => schemaOf(elements),
    field(name) {
      const fields = types[type]
      const found = fields && (Object.hasOwn(fields, name) ? fields[name] : fields[ANY_FIELD])
      return found && schemaOf(...found)
    },
  })

  return (apiVersion, kind) => {
    const index = indexes.get(`${apiVersion}/${kind}`)
    return index === undefined ? undefined : schemaOf(index)
  }
}
