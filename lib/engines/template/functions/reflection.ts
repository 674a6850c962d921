import { deepEqual } from '../values/deep-equal.ts'
import { type FunctionMap, kindOf, TemplateFunction, typeNameOf, type Value } from '../values/value.ts'

const withWanted = (call: (wanted: string, value: Value) => boolean) =>
  new TemplateFunction(['string', 'interface {}'], call)

export const reflectionFunctions: FunctionMap = new Map([
  ['typeOf', new TemplateFunction(['interface {}'], typeNameOf)],
  ['typeIs', withWanted((wanted, value) => wanted === typeNameOf(value))],
  ['typeIsLike', withWanted((wanted, value) => wanted === typeNameOf(value) || `*${wanted}` === typeNameOf(value))],
  ['kindOf', new TemplateFunction(['interface {}'], kindOf)],
  ['kindIs', withWanted((wanted, value) => wanted === kindOf(value))],
  ['deepEqual', new TemplateFunction(['interface {}', 'interface {}'], deepEqual)],
])
