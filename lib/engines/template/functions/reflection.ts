import { deepEqual } from '../values/deep-equal.ts'
import { type FunctionMap, kindOf, TemplateFunction, typeNameOf, type Value } from '../values/value.ts'

const asked = (call: (wanted: string, value: Value) => boolean) =>
  new TemplateFunction(['string', 'interface {}'], call)

export const reflectionFunctions: FunctionMap = new Map([
  ['typeOf', new TemplateFunction(['interface {}'], typeNameOf)],
  ['typeIs', asked((wanted, value) => wanted === typeNameOf(value))],
  ['typeIsLike', asked((wanted, value) => wanted === typeNameOf(value) || `*${wanted}` === typeNameOf(value))],
  ['kindOf', new TemplateFunction(['interface {}'], kindOf)],
  ['kindIs', asked((wanted, value) => wanted === kindOf(value))],
  ['deepEqual', new TemplateFunction(['interface {}', 'interface {}'], deepEqual)],
])
