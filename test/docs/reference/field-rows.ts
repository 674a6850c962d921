import type { StructuralSchema } from '../../../lib/foundations/kinds/schema/schema.ts'

/** The fields below one of an object, depth first, as rows of a table: path, type, description. */
export const fieldRows = (path: string, schema: StructuralSchema): readonly (readonly string[])[] => {
  const inner = schema.type === 'array' ? schema.items : schema
  const within = schema.type === 'array' ? `${path}[]` : path
  const required = new Set(inner?.required)
  const below = Object.entries(inner?.properties ?? {}).flatMap(([name, field]) => [
    [`\`${within}.${name}\``, typeOf(field), describe(field, required.has(name))],
    ...fieldRows(`${within}.${name}`, field),
  ])
  const values = typeof inner?.additionalProperties === 'object' ? inner.additionalProperties : undefined
  return values ? [...below, ...fieldRows(`${within}.<key>`, values)] : below
}

const typeOf = (schema: StructuralSchema): string => {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string'
  if (schema.type === 'array') return `[]${typeOf(schema.items ?? {})}`
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties)}`
  return schema.type ?? 'any'
}

const describe = (schema: StructuralSchema, isRequired: boolean): string =>
  [isRequired ? '**Required.**' : '', schema.description ?? '', ...constraintsOf(schema)]
    .filter(text => text !== '')
    .join(' ')

const constraintsOf = (schema: StructuralSchema): readonly string[] => {
  const values = schema.enum ?? schema.items?.enum
  const range = [
    schema.minimum === undefined ? '' : `at least ${schema.minimum}`,
    schema.maximum === undefined ? '' : `at most ${schema.maximum}`,
    schema.maxLength === undefined ? '' : `at most ${schema.maxLength} characters`,
    schema.minItems ? `at least ${schema.minItems} ${schema.minItems === 1 ? 'item' : 'items'}` : '',
    schema.maxItems === undefined ? '' : `at most ${schema.maxItems} items`,
  ].filter(text => text !== '')
  const isShort = (text: string) => text.length <= 60
  return [
    values ? `One of ${values.map(value => `\`${value}\``).join(', ')}.` : '',
    range.length > 0 ? `${upperFirst(range.join(', '))}.` : '',
    schema.pattern && isShort(schema.pattern) ? `Matches \`${schema.pattern}\`.` : '',
    schema.default !== undefined && isShort(JSON.stringify(schema.default))
      ? `Default: \`${JSON.stringify(schema.default)}\`.`
      : '',
    ...(schema['x-kubernetes-validations'] ?? []).map(({ message }) => (message ? `${upperFirst(message)}.` : '')),
  ]
}

const upperFirst = (text: string): string => text[0]!.toUpperCase() + text.slice(1)
