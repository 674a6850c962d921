import { formatValue } from '../format/format-value.ts'
import { sprintf } from '../format/sprintf.ts'
import { compareTexts, isSameText } from '../values/text.ts'
import {
  Complex,
  Int,
  integerOf,
  isNil,
  isNothing,
  kindOf,
  Struct,
  TemplateFunction,
  typeNameOf,
  unnamed,
  type Value,
} from '../values/value.ts'

type BasicKind = 'bool' | 'complex' | 'int' | 'float' | 'string'

/** Values of one basic kind are comparable; integers of all types are one kind. */
const basicKindOf = (named: Value): BasicKind | undefined => {
  const value = unnamed(named)
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return 'float'
    case 'bigint':
      return 'int'
  }
  if (value instanceof Int) return 'int'
  return value instanceof Complex ? 'complex' : undefined
}

const integer = (value: Value): bigint => integerOf(unnamed(value))!

const incompatible = (a: Value, b: Value): Error =>
  new Error(`incompatible types for comparison: ${typeNameOf(a)} and ${typeNameOf(b)}`)

/** The value as messages show it: `%s` marks anything but text. */
const asTexts = (value: Value): string => sprintf('%s', [value])

/** The value with its type and all its contents. */
const asSource = (value: Value): string => sprintf('%#v', [value])

/** Whether the first equals any of the others. */
const equal = (first: Value, ...others: Value[]): boolean => {
  if (others.length === 0) throw new Error('missing argument for comparison')
  return others.some(other => equals(first, other))
}

const equals = (a: Value, b: Value): boolean => {
  const [kindA, kindB] = [basicKindOf(a), basicKindOf(b)]
  if (kindA !== kindB) {
    if (!isNothing(a) && !isNothing(b)) throw incompatible(a, b)
    return false
  }
  if (kindA === 'int') return integer(a) === integer(b)
  if (kindA === 'complex') return formatValue(a) === formatValue(b)
  if (kindA === 'string') return isSameText(unnamed(a) as string, unnamed(b) as string)
  if (kindA) return a === b
  if (!isNothing(a) && !isNothing(b) && kindOf(a) !== kindOf(b))
    throw new Error(`non-comparable types ${asTexts(a)}: ${typeNameOf(a)}, ${typeNameOf(b)}: ${formatValue(b)}`)
  if (isNil(a) || isNil(b)) return isNil(a) === isNil(b)
  if (!(b instanceof Struct)) throw new Error(`non-comparable type ${asTexts(b)}: ${typeNameOf(b)}`)
  // Pointers are equal only to themselves.
  return a === b || (kindOf(a) === 'struct' && asSource(a) === asSource(b))
}

const isLess = (a: Value, b: Value): boolean => {
  const [kindA, kindB] = [basicKindOf(a), basicKindOf(b)]
  if (!kindA || !kindB) throw new Error('invalid type for comparison')
  if (kindA !== kindB) throw incompatible(a, b)
  if (kindA === 'int') return integer(a) < integer(b)
  if (kindA === 'string') return compareTexts(unnamed(a) as string, unnamed(b) as string) < 0
  if (kindA === 'float') return (a as number) < (b as number)
  throw new Error('invalid type for comparison')
}

const isLessOrEqual = (a: Value, b: Value): boolean => isLess(a, b) || equals(a, b)

const ofTwo = (compare: (a: Value, b: Value) => boolean) =>
  new TemplateFunction(['reflect.Value', 'reflect.Value'], compare)

export const comparisons: readonly (readonly [string, TemplateFunction])[] = [
  ['eq', new TemplateFunction(['reflect.Value'], equal, 'reflect.Value')],
  ['ne', ofTwo((a, b) => !equals(a, b))],
  ['lt', ofTwo(isLess)],
  ['le', ofTwo(isLessOrEqual)],
  ['gt', ofTwo((a, b) => !isLessOrEqual(a, b))],
  ['ge', ofTwo((a, b) => !isLess(a, b))],
]
