import { createHash } from 'node:crypto'
import { formatValue } from '../format/format-value.ts'
import { type FunctionMap, TemplateFunction, type Value } from '../values/value.ts'
import { type Certifier, certificateFunctions } from './certificates.ts'
import { toFloat64 } from './convert.ts'
import { mergeFunctions } from './merge.ts'
import { passwordFunctions } from './passwords.ts'
import type { Random } from './random.ts'
import { slimSprigFunctions } from './slim-sprig.ts'
import { type Versions, versionFunctions } from './versions.ts'
import { wordFunctions } from './words.ts'

/** The characters in another order. */
const shuffle =
  (random: Random) =>
  (text: string): string => {
    const characters = [...text]
    for (let i = characters.length - 1; i > 0; i--) {
      const other = Math.floor(random() * (i + 1))
      ;[characters[i], characters[other]] = [characters[other]!, characters[i]!]
    }
    return characters.join('')
  }

const sum = (values: readonly Value[]): number => decimal(values.map(toFloat64), (a, b) => a + b)

/** sprig calculates in decimals, so that 0.1 and 0.2 are 0.3: here the result is rounded to what decimals would show. */
const decimal = (values: readonly number[], combine: (a: number, b: number) => number): number =>
  values.map(finite).reduce((a, b) => Number(combine(a, b).toPrecision(15)))

const finite = (value: number): number => {
  if (!Number.isFinite(value)) throw new Error(`Cannot create a Decimal from ${formatValue(value)}`)
  return value
}

const floats = (combine: (a: number, b: number) => number) =>
  new TemplateFunction(
    ['interface {}'],
    (...values: Value[]) => decimal(values.map(toFloat64), combine),
    'interface {}',
  )

/** A number from 0 up to 1 from bytes that nobody can guess: charts make passwords of them. */
const randomFrom =
  (bytes: Certifier['bytes']): Random =>
  () =>
    Buffer.from(bytes(6)).readUIntBE(0, 6) / 2 ** 48

/**
 * Masterminds/sprig, which Helm charts are written with: slim-sprig's functions and more, keys and certificates among them.
 * What reaches outside (`env`, `expandenv`, `getHostByName`) is unknown here.
 */
export const sprigFunctions = <V>({
  versions,
  ...ambient
}: Certifier & { readonly versions: Versions<V> }): FunctionMap => {
  const { now, bytes } = ambient
  const random = randomFrom(bytes)
  return new Map([
    ...slimSprigFunctions({ now, random }),
    ...wordFunctions,
    ...mergeFunctions,
    ...versionFunctions(versions),
    ...certificateFunctions(ambient),
    ...passwordFunctions(bytes),
    ['shuffle', new TemplateFunction(['string'], shuffle(random))],
    ['sha512sum', new TemplateFunction(['string'], (text: string) => createHash('sha512').update(text).digest('hex'))],
    ['addf', new TemplateFunction([], (...values: Value[]) => sum([0, ...values]), 'interface {}')],
    ['add1f', new TemplateFunction(['interface {}'], (value: Value) => sum([value, 1]))],
    ['subf', floats((a, b) => a - b)],
    ['mulf', floats((a, b) => a * b)],
    ['divf', floats((a, b) => a / b)],
  ])
}
