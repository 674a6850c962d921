/** Checks a value against a structural schema, with the findings in the words of an API server with that schema. */
import { RE2JS } from 're2js'
import type { FieldError } from './field-error.ts'
import { duplicate, invalid, required, tooLong, tooMany, unsupported, wrongType } from './field-error.ts'
import { hasFormat } from './formats.ts'
import type { StructuralSchema } from './schema.ts'

/** How deep objects may be nested: more is no manifest but an attack on the stack. */
export const deepest = 128

/**
 * All that is wrong with a value. `at` is the value's own path: '' for an object as a whole, `status` for a part of it.
 * The texts name fields below `at`, as an API server's do.
 */
export const validateSchema = (schema: StructuralSchema, value: unknown, at = ''): FieldError[] => {
  const errors: FieldError[] = []
  check(schema, value, '', 0, {
    add: (path, error) => errors.push(error(joined(at, path))),
    addWhole: error => errors.push(error(at || '<nil>')),
  })
  return errors
}

interface Findings {
  add(path: string, error: (field: string) => FieldError): void
  /** A finding that an API server does not give a path to. */
  addWhole(error: (field: string) => FieldError): void
}

const joined = (at: string, path: string): string => {
  if (!path) return at || '<nil>'
  const below = path.startsWith('.') ? path.slice(1) : path
  return at && !below.startsWith('[') ? `${at}.${below}` : `${at}${below}`
}

const check = (schema: StructuralSchema, value: unknown, path: string, depth: number, findings: Findings): void => {
  if (depth > deepest) {
    findings.add(path, field => invalid(field, '', `nested deeper than ${deepest} levels`))
    return
  }
  checkType(schema, value, path, findings)
  if (value !== null && isCombined(schema)) checkCombinations(schema, value, path, depth, findings)
  if (typeof value === 'string') checkString(schema, value, path, findings)
  else if (typeof value === 'number') checkNumber(schema, value, path, findings)
  else if (Array.isArray(value)) checkList(schema, value, path, depth, findings)
  checkEnum(schema, value, path, findings)
  if (isObject(value)) checkObject(schema, value, path, depth, findings)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'integer' : 'number'
  return typeof value
}

const typesOf = (schema: StructuralSchema): readonly string[] => {
  if (schema['x-kubernetes-int-or-string']) return ['integer', 'string']
  return schema.type ? [schema.type] : []
}

const checkType = (schema: StructuralSchema, value: unknown, path: string, findings: Findings): void => {
  const types = typesOf(schema)
  const actual = typeOf(value)
  if (types.length === 0 || types.includes(actual)) return
  if (actual === 'null' && schema.nullable) return
  if (actual === 'integer' && types.includes('number')) return
  // Where a format is given, Kubernetes lets any string or list pass here, and leaves it to the format.
  const numeric = types.includes('number') || types.includes('integer')
  if (schema.format && !numeric && (actual === 'string' || actual === 'array')) return
  if (numeric && actual === 'number' && schema.format) {
    findings.add(path, field =>
      wrongType(field, 'float64', `${path} in body must be of type ${schema.format}: "float64"`),
    )
    findings.addWhole(field =>
      invalid(field, '', `Checked value must be of type integer with format ${schema.format} in ${path}`),
    )
    return
  }
  findings.add(path, field =>
    wrongType(field, actual, `${path} in body must be of type ${types.join(',')}: "${actual}"`),
  )
}

const checkEnum = (schema: StructuralSchema, value: unknown, path: string, findings: Findings): void => {
  if (!schema.enum?.length || schema.enum.some(allowed => isEqual(allowed, value))) return
  const supported = schema.enum.map(allowed => (typeof allowed === 'string' ? allowed : JSON.stringify(allowed)))
  findings.add(path, field => unsupported(field, value, supported))
}

const checkString = (schema: StructuralSchema, value: string, path: string, findings: Findings): void => {
  const { maxLength, minLength, pattern, format } = schema
  const length = maxLength !== undefined || minLength !== undefined ? [...value].length : 0
  if (maxLength !== undefined && length > maxLength) findings.add(path, field => tooLong(field, maxLength))
  else if (minLength !== undefined && length < minLength)
    findings.add(path, field => invalid(field, value, `${path} in body should be at least ${minLength} chars long`))
  else if (pattern !== undefined && !patternOf(schema)?.test(value))
    findings.add(path, field => invalid(field, value, `${path} in body should match '${pattern}'`))
  if (format && typesOf(schema).includes('string') && !hasFormat(format, value))
    findings.add(path, field =>
      wrongType(field, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`),
    )
}

/** Compiled patterns, for as long as their schema lives. RE2 syntax, in linear time: kinds of users bring patterns too. */
const patterns = new WeakMap<StructuralSchema, RE2JS>()

const patternOf = (schema: StructuralSchema): { test(value: string): boolean } => {
  let pattern = patterns.get(schema)
  if (!pattern) {
    pattern = RE2JS.compile(schema.pattern!)
    patterns.set(schema, pattern)
  }
  const compiled = pattern
  return { test: value => compiled.matcher(value).find() }
}

const checkNumber = (schema: StructuralSchema, value: number, path: string, findings: Findings): void => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const says = (text: string) => findings.add(path, field => invalid(field, value, `${path} in body should be ${text}`))
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) says(`a multiple of ${multipleOf}`)
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    says(exclusiveMinimum ? `greater than ${minimum}` : `greater than or equal to ${minimum}`)
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    says(exclusiveMaximum ? `less than ${maximum}` : `less than or equal to ${maximum}`)
}

const checkList = (
  schema: StructuralSchema,
  value: readonly unknown[],
  path: string,
  depth: number,
  findings: Findings,
): void => {
  const { items, minItems, maxItems, uniqueItems } = schema
  const says = (text: string) => findings.add(path, field => invalid(field, value.length, `${path} in body ${text}`))
  // A list that is too long is not looked through: checking it would cost what the limit is there to save.
  if (maxItems !== undefined && value.length > maxItems) {
    findings.add(path, field => tooMany(field, value.length, maxItems))
    return
  }
  if (items) for (const [index, item] of value.entries()) check(items, item, `${path}[${index}]`, depth + 1, findings)
  if (minItems !== undefined && value.length < minItems) says(`should have at least ${minItems} items`)
  if (uniqueItems && new Set(value.map(keyOf)).size < value.length)
    findings.add(path, field => invalid(field, '', `${path} in body shouldn't contain duplicates`))
  if (schema['x-kubernetes-list-type'] === 'set') checkDuplicates(value, value, path, findings)
  if (schema['x-kubernetes-list-type'] === 'map')
    checkDuplicates(
      value,
      value.map(item => keysOf(schema, item)),
      path,
      findings,
    )
}

const checkDuplicates = (
  value: readonly unknown[],
  identities: readonly unknown[],
  path: string,
  findings: Findings,
): void => {
  const seen = new Map<string, number>()
  for (const index of value.keys()) {
    const key = keyOf(identities[index])
    const times = (seen.get(key) ?? 0) + 1
    seen.set(key, times)
    if (times === 2) findings.add(`${path}[${index}]`, field => duplicate(field, identities[index]))
  }
}

/** What tells an item of a list of type map from others. */
const keysOf = (schema: StructuralSchema, item: unknown): Readonly<Record<string, unknown>> => {
  const names = schema['x-kubernetes-list-map-keys'] ?? []
  if (!isObject(item)) return {}
  return Object.fromEntries(
    names
      .toSorted()
      .filter(name => Object.hasOwn(item, name))
      .map(name => [name, item[name]]),
  )
}

const checkObject = (
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
  findings: Findings,
): void => {
  const { properties = {}, additionalProperties, minProperties, maxProperties, required: names = [] } = schema
  const size = minProperties !== undefined || maxProperties !== undefined ? Object.keys(value).length : 0
  if (minProperties !== undefined && size < minProperties)
    findings.add(path, field =>
      invalid(field, size, `${path} in body should have at least ${minProperties} properties`),
    )
  if (maxProperties !== undefined && size > maxProperties) {
    findings.add(path, field => tooMany(field, size, maxProperties))
    return
  }
  for (const name of Object.keys(value)) {
    const item = value[name]
    if (Object.hasOwn(properties, name))
      check(properties[name]!, item, path ? `${path}.${name}` : name, depth + 1, findings)
    else if (typeof additionalProperties === 'object')
      check(additionalProperties, item, `${path}.${name}`, depth + 1, findings)
  }
  for (const name of names) if (!Object.hasOwn(value, name)) findings.add(`${path}.${name}`, field => required(field))
}

const isCombined = ({ anyOf, oneOf, allOf, not }: StructuralSchema): boolean =>
  (anyOf ?? oneOf ?? allOf ?? not) !== undefined

const checkCombinations = (
  schema: StructuralSchema,
  value: unknown,
  path: string,
  depth: number,
  findings: Findings,
): void => {
  const says = (text: string) => findings.addWhole(field => invalid(field, '', `"${path}" must ${text}`))
  const against = (part: StructuralSchema) => {
    const found: (readonly [string, (field: string) => FieldError])[] = []
    const addWhole: Findings['addWhole'] = error => found.push(['', error])
    check(part, value, path, depth + 1, { add: (at, error) => found.push([at, error]), addWhole })
    return found
  }
  const report = (found: ReturnType<typeof against>) => {
    for (const [at, error] of found)
      if (at) findings.add(at, error)
      else findings.addWhole(error)
  }
  if (schema.anyOf?.length) {
    const results = schema.anyOf.map(against)
    if (results.every(found => found.length > 0)) {
      says('validate at least one schema (anyOf)')
      report(results[0]!)
    }
  }
  if (schema.oneOf?.length) {
    const results = schema.oneOf.map(against)
    const valid = results.filter(found => found.length === 0).length
    if (valid === 0) {
      says('validate one and only one schema (oneOf). Found none valid')
      report(results[0]!)
    } else if (valid > 1) says(`validate one and only one schema (oneOf). Found ${valid} valid alternatives`)
  }
  if (schema.allOf?.length) {
    const results = schema.allOf.map(against)
    for (const found of results) report(found)
    const failed = results.filter(found => found.length > 0).length
    if (failed > 0) says(`validate all the schemas (allOf)${failed === results.length ? '. None validated' : ''}`)
  }
  if (schema.not && against(schema.not).length === 0) says('not validate the schema (not)')
}

const keyOf = (value: unknown): string => JSON.stringify(value)

const isEqual = (a: unknown, b: unknown): boolean => a === b || (typeof a === 'object' && keyOf(a) === keyOf(b))
