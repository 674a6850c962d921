import { expression } from '../../lib/engines/cel/expression.ts'
import type { CelAnswer } from '../bed/cel-oracle.ts'
import { data } from '../unit/engines/cel/expressions/data.ts'
import { outcomeOf } from '../unit/engines/cel/outcome.ts'
import { valueText } from '../unit/engines/cel/value-text.ts'

/** What differs between cel-go's answer and ours: undefined when both came to the same value, or failed with the same message. */
export const differenceFromCelGo = (text: string, { value, parseError, error }: CelAnswer): string | undefined => {
  const failure = parseError?.startsWith('failed to create') ? parseError : 'parse error'
  const theirs = parseError ? failure : (value ?? `error: ${error}`)
  const ours = outcomeOf(text, () => valueText(expression(text).evaluate(data)))
  // Go breaks down over bytes as keys, where it works out constants beforehand too.
  const isLeft = theirs.includes('unhashable') || isLeftAlone.some(form => form.test(text))
  const areRefused = isRefusal.test(theirs) && isRefusal.test(ours)
  if (isLeft || areRefused || settled(theirs) === settled(ours)) return undefined
  return `${JSON.stringify(text)}\n  cel-go: ${theirs}\n  ours:   ${ours}`
}

/** What ours makes otherwise, as it makes no sense (docs/compatibility.md). */
const isLeftAlone: readonly RegExp[] = [
  /\bhas\([^()]*\)+\s*\.?\s*[.[]/, // steps from has(), which cel-go takes into it
  /-\s*\(/, // a sign before brackets around a number: known beforehand to ours
  /-[\d.]+\w*\)*\[|-[\d.]+\w*\)*\.\w/, // a step from a number with a sign before it
  /(\}|nested|\.a|status)\)*\.(map|filter)\(/, // the order of maps, which is any in Go
  /\.\?\s*\.|[[{]\s*,\s*[\]}]/, // `a.?.b` and `[,]`: the library's grammar
  /format\(.*base64\.decode/, // bytes that are no UTF-8, which texts of JavaScript can't hold
  /\? .*\)\s*\.|\? .*\)\s*\[/, // a step from a choice: the name that is missing is told with the step
]

/** Before there are data; of two reasons cel-go may find another first. */
const isRefusal = /^(parse error$|failed to create)/

/** Left to which of two faults cel-go finds first, to Go's names for types and values of data, and to addresses. */
const settled = (outcome: string): string =>
  outcome
    .replace(/(must have constant qualifiers).*/, '$1')
    .replace('panic:', 'internal error:')
    .replace(/^.*(?=cannot initialize optional)/s, '')
    .replace(/.*\bNaN: .*/s, 'a map with a key that is not itself')
    .replace(/(invalid qualifier type: ).*/, '$1')
    .replace(/(from non-optional value |join: invalid input: ).*/s, '$1')
    .replace(/(no such overload: \w+) \d+$/, '$1')
    .replace(/unsupported index type 'string' in list/, 'no such key: a')
    .replace(/(no such key: ).*/s, '$1')
