import { compileRegexp } from '../../../foundations/go/compile-regexp.ts'
import { quote } from '../../../foundations/go/quote.ts'
import { integerOf, type Value, type ValueMap } from '../../template/values/value.ts'
import { InvalidSchema } from './invalid-schema.ts'
import type { JsonType, Pattern, Schema } from './schema.ts'

const TYPES: readonly JsonType[] = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object']

/** Rules without subschemas; a rule of the wrong type is ignored. */
export const ownRules = (object: ValueMap): Partial<Schema> => {
  const number = (keyword: string) => numberOf(object.get(keyword))
  const whole = (keyword: string) => wholeOf(object.get(keyword))
  const [type, values, pattern] = [object.get('type'), object.get('enum'), object.get('pattern')]
  const wanted = Array.isArray(type) ? type : [type]
  const types = TYPES.filter(name => wanted.includes(name))
  /** In draft 4, a boolean that makes the bound of `maximum` exclusive. */
  const isExclusive = (keyword: string) => object.get(keyword) === true
  return {
    types: types.length > 0 ? types : undefined,
    enum: Array.isArray(values) ? values : undefined,
    multipleOf: number('multipleOf'),
    maximum: isExclusive('exclusiveMaximum') ? undefined : number('maximum'),
    exclusiveMaximum: number(isExclusive('exclusiveMaximum') ? 'maximum' : 'exclusiveMaximum'),
    minimum: isExclusive('exclusiveMinimum') ? undefined : number('minimum'),
    exclusiveMinimum: number(isExclusive('exclusiveMinimum') ? 'minimum' : 'exclusiveMinimum'),
    minLength: whole('minLength'),
    maxLength: whole('maxLength'),
    pattern: typeof pattern === 'string' ? patternOf(pattern) : undefined,
    minItems: whole('minItems'),
    maxItems: whole('maxItems'),
    uniqueItems: object.get('uniqueItems') === true,
    minProperties: whole('minProperties'),
    maxProperties: whole('maxProperties'),
    required: object.has('required') ? textsOf(object.get('required')) : undefined,
  } as Partial<Schema>
}

/**
 * A compiled `pattern`, which may match anywhere in a text. Throws InvalidSchema for what Go's regexp does not accept.
 */
export const patternOf = (source: string): Pattern => {
  try {
    const regex = compileRegexp(source)
    return { source, matches: text => regex.matcher(text).find() }
  } catch (error) {
    throw new InvalidSchema(`invalid regex ${quote(source)}: ${(error as Error).message}`)
  }
}

/** A keyword's text; undefined for other types, which are ignored. */
export const textOf = (value: Value): string | undefined => (typeof value === 'string' ? value : undefined)
/** A keyword's list of texts; items of other types are dropped. */
export const textsOf = (value: Value): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
const numberOf = (value: Value): number | undefined =>
  typeof value === 'number' ? value : integerOf(value) === undefined ? undefined : Number(integerOf(value))
/** A keyword's number, if it is whole: 2.0 is. */
export const wholeOf = (value: Value): number | undefined => {
  const number = numberOf(value)
  return Number.isInteger(number) ? number : undefined
}
