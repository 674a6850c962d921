/** Validates strings and numbers by a schema, with an API server's messages. */
import { RE2JS } from 're2js'
import { invalid, tooLong, wrongType } from './field-error.ts'
import type { Findings } from './findings.ts'
import { hasFormat } from './formats.ts'
import type { StructuralSchema } from './schema.ts'

/**
 * Adds the errors of a string to `findings`: of length (in characters) or pattern only the first, and of format. `path`
 * is its field, which the messages of Kubernetes' validator repeat.
 */
export const checkText = (schema: StructuralSchema, value: string, path: string, findings: Findings): void => {
  const { maxLength, minLength, pattern, format } = schema
  const length = maxLength !== undefined || minLength !== undefined ? [...value].length : 0
  if (maxLength !== undefined && length > maxLength) findings.add(path, field => tooLong(field, maxLength))
  else if (minLength !== undefined && length < minLength)
    findings.add(path, field => invalid(field, value, `${path} in body should be at least ${minLength} chars long`))
  else if (pattern !== undefined && !matchesPattern(schema, value))
    findings.add(path, field => invalid(field, value, `${path} in body should match '${pattern}'`))
  if (format && schema.type === 'string' && !hasFormat(format, value))
    findings.add(path, field =>
      wrongType(field, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`),
    )
}

/** A compiled pattern, with texts that have matched it: objects of a kind are alike, and validated at each change. */
interface Pattern {
  readonly compiled: RE2JS
  readonly matching: Set<string>
}

/** For the lifetime of their schema. RE2 syntax, in linear time: user-defined kinds contain patterns too. */
const patterns = new WeakMap<StructuralSchema, Pattern>()

/** How many texts a pattern keeps, and of how many characters at most. */
const maxMatching = { texts: 50, length: 100 }

const patternOf = (schema: StructuralSchema): Pattern => {
  const known = patterns.get(schema)
  if (known) return known
  const pattern = { compiled: RE2JS.compile(schema.pattern!), matching: new Set<string>() }
  patterns.set(schema, pattern)
  return pattern
}

const matchesPattern = (schema: StructuralSchema, value: string): boolean => {
  const { compiled, matching } = patternOf(schema)
  if (matching.has(value)) return true
  const matches = compiled.matcher(value).find()
  if (!matches || value.length > maxMatching.length) return matches
  if (matching.size === maxMatching.texts) matching.clear()
  matching.add(value)
  return true
}

/**
 * Adds the errors of a number to `findings`: the range of its integer format, `multipleOf`, `minimum` and `maximum`.
 */
export const checkNumber = (schema: StructuralSchema, value: number, path: string, findings: Findings): void => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const report = (text: string) =>
    findings.add(path, field => invalid(field, value, `${path} in body should be ${text}`))
  if (schema.type === 'integer') checkRange(schema, value, path, findings)
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) report(`a multiple of ${multipleOf}`)
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    report(exclusiveMinimum ? `greater than ${minimum}` : `greater than or equal to ${minimum}`)
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    report(exclusiveMaximum ? `less than ${maximum}` : `less than or equal to ${maximum}`)
}

const checkRange = ({ format }: StructuralSchema, value: number, path: string, findings: Findings): void => {
  const bound = format === 'int32' ? 2 ** 31 : 2 ** 63
  if (Number.isInteger(value) && value >= -bound && value < bound) return
  const wanted = format ? `with format ${format}` : '(default format)'
  findings.addWhole(field => invalid(field, '', `Checked value must be of type integer ${wanted} in ${path}`))
}
