/** Validates a value by a structural schema, with an API server's messages. */
import { isObject } from '../json-object.ts'
import { maxDepth } from './depth.ts'
import type { FieldError } from './field-error.ts'
import { duplicate, invalid, required, tooMany, unsupported, wrongType } from './field-error.ts'
import type { Findings } from './findings.ts'
import { findings } from './findings.ts'
import { isSameJson } from './same-json.ts'
import type { StructuralSchema } from './schema.ts'
import { checkNumber, checkText } from './validate-scalar.ts'

/**
 * All errors of a value. `at` is its own path: '' for an object as a whole, `status` for a part of it. Messages name fields below `at`, as
 * an API server's do.
 */
export const validateSchema = (schema: StructuralSchema, value: unknown, at = ''): readonly FieldError[] => {
  const found = findings(at)
  check(schema, value, '', 0, found)
  return found.errors
}

const check = (schema: StructuralSchema, value: unknown, path: string, depth: number, findings: Findings): void => {
  if (depth > maxDepth) {
    findings.add(path, field => invalid(field, '', `nested deeper than ${maxDepth} levels`))
    return
  }
  checkType(schema, value, path, findings)
  if (value !== null && isCombined(schema)) checkCombinations(schema, value, path, depth, findings)
  if (typeof value === 'string') checkText(schema, value, path, findings)
  else if (typeof value === 'number') checkNumber(schema, value, path, findings)
  else if (Array.isArray(value)) checkList(schema, value, path, depth, findings)
  checkEnum(schema, value, path, findings)
  if (isObject(value)) checkObject(schema, value, path, depth, findings)
}

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
  // If there is a format, Kubernetes accepts any string or list here, and leaves it to the format.
  const numeric = types.includes('number') || types.includes('integer')
  if (schema.format && !numeric && (actual === 'string' || actual === 'array')) return
  if (numeric && actual === 'number' && schema.format) {
    findings.add(path, field =>
      wrongType(field, 'float64', `${path} in body must be of type ${schema.format}: "float64"`),
    )
    return
  }
  findings.add(path, field =>
    wrongType(field, actual, `${path} in body must be of type ${types.join(',')}: "${actual}"`),
  )
}

const checkEnum = (schema: StructuralSchema, value: unknown, path: string, findings: Findings): void => {
  // A Kubernetes enum never accepts null, even if null is allowed and listed.
  if (!schema.enum?.length || (value !== null && schema.enum.some(allowed => isSameJson(allowed, value)))) return
  const supported = schema.enum.map(allowed => (typeof allowed === 'string' ? allowed : JSON.stringify(allowed)))
  findings.add(path, field => unsupported(field, value, supported))
}

const checkList = (
  schema: StructuralSchema,
  value: readonly unknown[],
  path: string,
  depth: number,
  findings: Findings,
): void => {
  const { items, minItems, maxItems, uniqueItems } = schema
  const report = (text: string) => findings.add(path, field => invalid(field, value.length, `${path} in body ${text}`))
  // The items of a list that is too long are not validated: that would cost what the limit should save.
  if (maxItems !== undefined && value.length > maxItems) {
    findings.add(path, field => tooMany(field, value.length, maxItems))
    return
  }
  if (items) for (const [index, item] of value.entries()) check(items, item, `${path}[${index}]`, depth + 1, findings)
  if (minItems !== undefined && value.length < minItems) report(`should have at least ${minItems} items`)
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

/** The keys that identify an item of a list of type map. */
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
  const addFinding = (text: string) => findings.addWhole(field => invalid(field, '', `"${path}" must ${text}`))
  const against = (part: StructuralSchema) => {
    const found: ((into: Findings) => void)[] = []
    check(part, value, path, depth + 1, {
      add: (at, error) => found.push(into => into.add(at, error)),
      addWhole: error => found.push(into => into.addWhole(error)),
    })
    return found
  }
  const report = (found: ReturnType<typeof against>) => {
    for (const finding of found) finding(findings)
  }
  if (schema.anyOf?.length) {
    const results = schema.anyOf.map(against)
    if (results.every(found => found.length > 0)) {
      addFinding('validate at least one schema (anyOf)')
      report(results[0]!)
    }
  }
  if (schema.oneOf?.length) {
    const results = schema.oneOf.map(against)
    const valid = results.filter(found => found.length === 0).length
    if (valid === 0) {
      addFinding('validate one and only one schema (oneOf). Found none valid')
      report(results[0]!)
    } else if (valid > 1) addFinding(`validate one and only one schema (oneOf). Found ${valid} valid alternatives`)
  }
  if (schema.allOf?.length) {
    const results = schema.allOf.map(against)
    for (const found of results) report(found)
    const failed = results.filter(found => found.length > 0).length
    if (failed > 0) addFinding(`validate all the schemas (allOf)${failed === results.length ? '. None validated' : ''}`)
  }
  if (schema.not && against(schema.not).length === 0) addFinding('not validate the schema (not)')
}

const keyOf = (value: unknown): string => JSON.stringify(value)
