import type { StructuralSchema } from './schema.ts'

const schemasWithRules = new WeakMap<StructuralSchema, boolean>()

/** Whether there are rules here or below; otherwise the object need not be traversed. */
export const hasRules = (schema: StructuralSchema): boolean => {
  const known = schemasWithRules.get(schema)
  if (known !== undefined) return known
  const { properties = {}, additionalProperties, items } = schema
  const below = [...Object.values(properties), additionalProperties, items]
  const found =
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    below.some(part => typeof part === 'object' && hasRules(part))
  schemasWithRules.set(schema, found)
  return found
}
