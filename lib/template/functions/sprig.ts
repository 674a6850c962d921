import { createHash } from 'node:crypto'
import { formatValue } from '../format/format-value.ts'
import { type FunctionMap, TemplateFunction, type Value } from '../values/value.ts'
import { toFloat64 } from './convert.ts'
import { mergeFunctions } from './merge.ts'
import type { Random } from './random.ts'
import { type Ambient, slimSprigFunctions } from './slim-sprig.ts'
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

/**
 * Masterminds/sprig, which Helm charts are written with: slim-sprig's functions and more. Not here, besides what reaches
 * outside (`env`, `expandenv`, `getHostByName`): keys, certificates, passwords and encryption.
 */
export const sprigFunctions = <V>({
  versions,
  ...ambient
}: Required<Ambient> & { versions: Versions<V> }): FunctionMap =>
  new Map([
    ...slimSprigFunctions(ambient),
    ...wordFunctions,
    ...mergeFunctions,
    ...versionFunctions(versions),
    ['shuffle', new TemplateFunction(['string'], shuffle(ambient.random))],
    ['sha512sum', new TemplateFunction(['string'], (text: string) => createHash('sha512').update(text).digest('hex'))],
    ['addf', new TemplateFunction([], (...values: Value[]) => sum([0, ...values]), 'interface {}')],
    ['add1f', new TemplateFunction(['interface {}'], (value: Value) => sum([value, 1]))],
    ['subf', floats((a, b) => a - b)],
    ['mulf', floats((a, b) => a * b)],
    ['divf', floats((a, b) => a / b)],
  ])
