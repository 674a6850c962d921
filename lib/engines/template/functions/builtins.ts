import { sprint, sprintln } from '../format/format-value.ts'
import { sprintf } from '../format/sprintf.ts'
import { isTrue } from '../values/truth.ts'
import { type FunctionMap, TemplateFunction, type Value } from '../values/value.ts'
import { comparisons } from './compare.ts'
import { escapeHtml, escapeJs, escapeQuery } from './escape.ts'
import { indexOf, lengthOf, sliceOf } from './index-and-slice.ts'

const unreachable = (): Value => {
  throw new Error('compiled in place')
}

/** Joins arguments to text: a single one as it is, several as `print` does. */
const textOf = (values: readonly Value[]): string => sprint(values.map(value => value ?? '<no value>'))

/** The builtins of Go templates. `and`, `or` and `call` are handled when calls are compiled. */
export const builtins: FunctionMap = new Map([
  ['and', new TemplateFunction(['reflect.Value'], unreachable, 'reflect.Value')],
  ['or', new TemplateFunction(['reflect.Value'], unreachable, 'reflect.Value')],
  ['call', new TemplateFunction(['reflect.Value'], unreachable, 'reflect.Value')],
  ['not', new TemplateFunction(['reflect.Value'], (value: Value) => !isTrue(value))],
  ['index', new TemplateFunction(['reflect.Value'], indexOf, 'reflect.Value')],
  ['slice', new TemplateFunction(['reflect.Value'], sliceOf, 'reflect.Value')],
  ['len', new TemplateFunction(['reflect.Value'], lengthOf)],
  ['print', new TemplateFunction([], (...values: Value[]) => sprint(values), 'interface {}')],
  ['println', new TemplateFunction([], (...values: Value[]) => sprintln(values), 'interface {}')],
  [
    'printf',
    new TemplateFunction(['string'], (format: string, ...values: Value[]) => sprintf(format, values), 'interface {}'),
  ],
  ['html', new TemplateFunction([], (...values: Value[]) => escapeHtml(textOf(values)), 'interface {}')],
  ['js', new TemplateFunction([], (...values: Value[]) => escapeJs(textOf(values)), 'interface {}')],
  ['urlquery', new TemplateFunction([], (...values: Value[]) => escapeQuery(textOf(values)), 'interface {}')],
  ...comparisons,
])
