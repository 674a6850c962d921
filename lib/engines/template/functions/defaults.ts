import { isTrue } from '../values/truth.ts'
import { type FunctionMap, TemplateFunction, type Value } from '../values/value.ts'

/** sprig's empty is the opposite of Go's truth. */
const isEmpty = (value: Value): boolean => !isTrue(value)

const all = (call: (values: Value[]) => Value) =>
  new TemplateFunction([], (...values: Value[]) => call(values), 'interface {}')

export const defaultFunctions: FunctionMap = new Map([
  [
    'default',
    new TemplateFunction(
      ['interface {}'],
      (fallback: Value, given?: Value) => (isEmpty(given) ? fallback : given),
      'interface {}',
    ),
  ],
  ['empty', new TemplateFunction(['interface {}'], isEmpty)],
  ['coalesce', all(values => values.find(isTrue) ?? null)],
  ['all', all(values => values.every(isTrue))],
  ['any', all(values => values.some(isTrue))],
  [
    'ternary',
    new TemplateFunction(['interface {}', 'interface {}', 'bool'], (yes: Value, no: Value, condition: boolean) =>
      condition ? yes : no,
    ),
  ],
  [
    'fail',
    new TemplateFunction(['string'], (message: string) => {
      throw new Error(message)
    }),
  ],
])
