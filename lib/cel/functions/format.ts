import { evaluationError } from '../cel-error.ts'
import { isList, isMap, type List, Uint, type Value } from '../values.ts'
import { textOf } from './conversions.ts'

const longest = 100_000

/** `'%s is %d'.format([...])`: CEL's own verbs (%s %d %f %e %b %o %x %X), with a precision where it has a meaning. */
export const format = (template: string, args: List): string => {
  let next = 0
  const text = template.replace(/%(?:\.(\d+))?(.?)/gs, (_, precision: string | undefined, verb: string) => {
    if (verb === '%') return '%'
    const value = args[next++]
    if (value === undefined) throw evaluationError(`index ${next - 1} out of range`)
    const write = verbs[verb]
    if (!write) throw evaluationError(`unrecognized formatting clause "${verb}"`)
    return write(value, Math.min(Number(precision ?? 6), 100))
  })
  if (text.length > longest) throw evaluationError('the formatted text is too long')
  return text
}

const mismatch = (verb: string) =>
  evaluationError(`error during formatting: ${verb} clause was given a value of another type`)

const whole = (value: Value, verb: string): bigint => {
  if (typeof value === 'bigint') return value
  if (value instanceof Uint) return value.value
  throw mismatch(verb)
}

const real = (value: Value, verb: string): number => {
  if (typeof value === 'number') return value
  return Number(whole(value, verb))
}

const special = (value: number): string | undefined => {
  if (Number.isFinite(value)) return undefined
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity'
}

type Verb = (value: Value, precision: number) => string

const verbs: Readonly<Record<string, Verb>> = {
  __proto__: null as never,
  s: shown,
  d: value => (typeof value === 'number' ? (special(value) ?? fail('integer')) : whole(value, 'integer').toString()),
  f: (value, precision) => {
    const number = real(value, 'fixed-point')
    return special(number) ?? number.toFixed(precision)
  },
  e: (value, precision) => {
    const number = real(value, 'scientific')
    return special(number) ?? number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2')
  },
  b: value => (typeof value === 'boolean' ? (value ? '1' : '0') : whole(value, 'binary').toString(2)),
  o: value => whole(value, 'octal').toString(8),
  x: hex,
  X: value => hex(value).toUpperCase(),
}

const fail = (verb: string): never => {
  throw mismatch(verb)
}

function hex(value: Value): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return whole(value, 'hex').toString(16)
}

/** A value as `%s` shows it; lists and maps with what is in them. */
function shown(value: Value): string {
  if (value === null) return 'null'
  if (isList(value)) return `[${value.map(shown).join(', ')}]`
  if (isMap(value)) {
    const entries = [...value].map(([key, field]) => `${shown(key)}: ${shown(field)}`)
    return `{${entries.sort().join(', ')}}`
  }
  if (typeof value === 'number') return special(value) ?? textOf(value)
  return textOf(value)
}
