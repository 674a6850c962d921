/** Checks that a schema is structural, so that an API server can prune, default and validate by it. Messages are Kubernetes'. */
import { maxDepth } from './depth.ts'
import type { FieldError } from './field-error.ts'
import { forbidden, invalid, required, unsupported } from './field-error.ts'
import type { StructuralSchema } from './schema.ts'
import { validateSchema } from './validate-schema.ts'

/** Checks CEL rules. */
export interface RuleChecks {
  /** The error in the text of a rule; undefined if it is valid. */
  problem(rule: string): string | undefined
  /** Rules of a schema that are invalid in their place, or may cost too much. `isUnchanged`: the schema is stored already. */
  places(schema: StructuralSchema, field: string, isUnchanged: boolean): FieldError[]
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const listTypes = ['atomic', 'map', 'set']
const refused = [
  '$ref',
  'definitions',
  'dependencies',
  'deprecated',
  'discriminator',
  'id',
  'patternProperties',
  'readOnly',
  'writeOnly',
  'xml',
]
/** Keywords that describe the value itself; below `not` and the like they would be redundant. */
const structure = [
  'type',
  'additionalProperties',
  'nullable',
  'default',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
] as const

/**
 * The errors of a version's whole schema, whose root must be an object. `field` is its place in the definition. CEL
 * rules are checked in their places, and their costs estimated, only if the rest is valid.
 */
export const checkStructural = (
  schema: StructuralSchema,
  field: string,
  rules: RuleChecks,
  isUnchanged: boolean,
): FieldError[] => {
  if (typeof schema !== 'object' || schema === null) return [invalid(field, schema, 'must be an object')]
  const errors = [
    ...(schema.type ? [] : [required(`${field}.type`, 'must not be empty at the root')]),
    ...(schema.type && schema.type !== 'object'
      ? [invalid(`${field}.type`, schema.type, 'must be object at the root')]
      : []),
    ...(schema.nullable ? [forbidden(`${field}.nullable`, 'nullable cannot be true at the root')] : []),
    ...checkMetadata(schema.properties?.metadata, `${field}.properties[metadata]`),
    ...check(schema, field, 0, rules),
  ]
  return errors.length > 0 ? errors : rules.places(schema, field, isUnchanged)
}

const checkMetadata = (schema: StructuralSchema | undefined, field: string): FieldError[] => {
  const others = Object.keys(schema?.properties ?? {}).filter(name => name !== 'name' && name !== 'generateName')
  return others.length > 0
    ? [
        forbidden(
          field,
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        ),
      ]
    : []
}

const check = (schema: StructuralSchema, field: string, depth: number, rules: RuleChecks): FieldError[] => {
  if (depth > maxDepth) return [invalid(field, '', `nested deeper than ${maxDepth} levels`)]
  const { properties = {}, additionalProperties, items } = schema
  const below = (part: StructuralSchema, at: string) => check(part, at, depth + 1, rules)
  return [
    ...checkKeywords(schema, field),
    ...checkList(schema, field),
    ...checkDefault(schema, field),
    ...checkPattern(schema, field),
    ...checkRules(schema, field, rules),
    ...Object.entries(properties).flatMap(([name, part]) => {
      const at = `${field}.properties[${name}]`
      const isTyped =
        Boolean(part.type) || part['x-kubernetes-int-or-string'] || part['x-kubernetes-preserve-unknown-fields']
      return [
        ...(isTyped ? [] : [required(`${at}.type`, 'must not be empty for specified object fields')]),
        ...below(part, at),
      ]
    }),
    ...(typeof additionalProperties === 'object' ? below(additionalProperties, `${field}.additionalProperties`) : []),
    ...(items ? checkItems(items, `${field}.items`, below) : []),
    ...(['allOf', 'anyOf', 'oneOf'] as const).flatMap(word =>
      (schema[word] ?? []).flatMap((part, index) => checkJunctor(part, `${field}.${word}[${index}]`, depth + 1)),
    ),
    ...(schema.not ? checkJunctor(schema.not, `${field}.not`, depth + 1) : []),
  ]
}

const checkItems = (
  items: StructuralSchema,
  field: string,
  below: (part: StructuralSchema, at: string) => FieldError[],
): FieldError[] => {
  if (Array.isArray(items)) return [forbidden(field, 'items must be a schema object and not an array')]
  const isTyped =
    Boolean(items.type) || items['x-kubernetes-int-or-string'] || items['x-kubernetes-preserve-unknown-fields']
  return [
    ...(isTyped ? [] : [required(`${field}.type`, 'must not be empty for specified array items')]),
    ...below(items, field),
  ]
}

const checkKeywords = (schema: StructuralSchema, field: string): FieldError[] => {
  const { type, properties, additionalProperties, items, uniqueItems } = schema
  const errors = refused
    .filter(word => (schema as Readonly<Record<string, unknown>>)[word] !== undefined)
    .map(word => forbidden(`${field}.${word}`, `${word} is not supported`))
  if (type && !types.includes(type)) errors.push(unsupported(`${field}.type`, type, types))
  if (uniqueItems)
    errors.push(
      forbidden(
        `${field}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    )
  if (properties && Object.keys(properties).length > 0 && additionalProperties)
    errors.push(forbidden(`${field}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'))
  if (type === 'array' && !items) errors.push(required(`${field}.items`, 'must be specified'))
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'))
  if (schema['x-kubernetes-embedded-resource'] && type !== 'object')
    errors.push(invalid(`${field}.type`, type ?? '', 'must be object if x-kubernetes-embedded-resource is true'))
  if (schema['x-kubernetes-int-or-string'] && type)
    errors.push(forbidden(`${field}.type`, 'must be empty if x-kubernetes-int-or-string is true'))
  return errors
}

const checkList = (schema: StructuralSchema, field: string): FieldError[] => {
  const listType = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const errors: FieldError[] = []
  if (listType && schema.type !== 'array')
    errors.push(
      schema.type
        ? invalid(`${field}.type`, schema.type, 'must be array if x-kubernetes-list-type is specified')
        : required(`${field}.type`, 'must be array if x-kubernetes-list-type is specified'),
    )
  if (listType && !listTypes.includes(listType))
    errors.push(unsupported(`${field}.x-kubernetes-list-type`, listType, listTypes))
  if (listType !== 'map') return errors
  const keysField = `${field}.x-kubernetes-list-map-keys`
  if (keys.length === 0) return [...errors, required(keysField, 'must not be empty if x-kubernetes-list-type is map')]
  const { properties = {}, required: names = [] } = schema.items ?? {}
  for (const [index, key] of keys.entries()) {
    if (!Object.hasOwn(properties, key))
      errors.push(invalid(`${keysField}[${index}]`, key, 'entries must all be names of item properties'))
    else if (!names.includes(key) && properties[key]!.default === undefined)
      errors.push(
        required(
          `${field}.items.properties[${key}].default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      )
  }
  return errors
}

/** A default must be valid by its own schema. */
const checkDefault = (schema: StructuralSchema, field: string): FieldError[] =>
  schema.default === undefined ? [] : [...validateSchema(schema, schema.default, `${field}.default`)]

const checkPattern = ({ pattern }: StructuralSchema, field: string): FieldError[] => {
  if (pattern === undefined) return []
  try {
    new RegExp(pattern)
    return []
  } catch {
    return [invalid(`${field}.pattern`, pattern, "must be a valid regular expression, but isn't: error parsing regexp")]
  }
}

const checkRules = (schema: StructuralSchema, field: string, rules: RuleChecks): FieldError[] =>
  (schema['x-kubernetes-validations'] ?? []).flatMap(({ rule = '', message }, index) => {
    const at = `${field}.x-kubernetes-validations[${index}]`
    if (rule.trim() === '') return [required(`${at}.rule`, 'rule is not specified')]
    const problem = rules.problem(rule)
    return [
      ...(message?.includes('\n') ? [invalid(`${at}.message`, message, 'message must not contain line breaks')] : []),
      ...(problem ? [invalid(`${at}.rule`, rule, `compilation failed: ${problem}`)] : []),
    ]
  })

/** Below allOf, anyOf, oneOf and not, a schema may only add constraints to the one above. */
const checkJunctor = (schema: StructuralSchema, field: string, depth: number): FieldError[] => {
  if (depth > maxDepth) return [invalid(field, '', `nested deeper than ${maxDepth} levels`)]
  const { properties = {}, items } = schema
  const below = (part: StructuralSchema, at: string) => checkJunctor(part, at, depth + 1)
  return [
    ...structure
      .filter(word => schema[word] !== undefined && !isIntOrString(schema, word))
      .map(word => forbidden(`${field}.${word}`, 'must be empty to be structural')),
    ...(schema.description ? [forbidden(`${field}.description`, 'must be empty to be structural')] : []),
    ...Object.entries(properties).flatMap(([name, part]) => below(part, `${field}.properties[${name}]`)),
    ...(items ? below(items, `${field}.items`) : []),
    ...(['allOf', 'anyOf', 'oneOf'] as const).flatMap(word =>
      (schema[word] ?? []).flatMap((part, index) => below(part, `${field}.${word}[${index}]`)),
    ),
    ...(schema.not ? below(schema.not, `${field}.not`) : []),
  ]
}

/** `anyOf: [{type: integer}, {type: string}]` is how int-or-string is written for clients that don't know it. */
const isIntOrString = ({ type }: StructuralSchema, word: string): boolean =>
  word === 'type' && (type === 'integer' || type === 'string')
