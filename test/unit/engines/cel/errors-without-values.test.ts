/** Errors quote values from the data, as cel-go's do; for those who may not see the data there is a message without them. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CelError } from '../../../../lib/engines/cel/cel-error.ts'
import { expression } from '../../../../lib/engines/cel/expression.ts'

const errorOf = (text: string, data: object): CelError => {
  try {
    expression(text).evaluateBoolean(data as Readonly<Record<string, unknown>>)
  } catch (error) {
    if (error instanceof CelError) return error
    throw error
  }
  return assert.fail(`${text} has a value`)
}

const said = (text: string, message: string) => `failed to evaluate the CEL expression '${text}': ${message}`

/** By expression over `s`, `n` and `d`: what the error says, and without values. */
const quoting: Readonly<Record<string, readonly [full: string, without: string]>> = {
  'm[s]': ['no such key: hush(', 'no such key'],
  '[1][n]': ['index out of bounds: 4711', 'index out of bounds'],
  '[1][d]': ['unsupported index value 4711.5 in list', 'unsupported index value in list'],
  "'x'.matches(s)": ['error parsing regexp: missing closing ): `hush(`', 'error parsing regexp'],
  "'x'.charAt(n)": ['index out of range: 4711', 'index out of range'],
  "'x'.substring(n, 0)": ['invalid substring range. start: 4711, end: 0', 'invalid substring range'],
  "'x'.substring(n)": ['index out of range: 4711', 'index out of range'],
  "['x', [s]].join('')": ['join: invalid input: [hush(]', 'join: invalid input'],
  'base64.decode(s)': ['illegal base64 data at input byte 4', 'illegal base64 data'],
  "timestamp('2026-01-01T00:00:00Z').getHours(s)": ['unknown time zone hush(', 'unknown time zone'],
  "timestamp('2026-01-01T00:00:00Z').getHours(s + ':1')": [
    'strconv.Atoi: parsing "hush(": invalid syntax',
    'strconv.Atoi: invalid syntax',
  ],
  "('%' + s).format([1])": [
    'could not parse formatting clause: unrecognized formatting clause "h"',
    'could not parse formatting clause: unrecognized formatting clause',
  ],
  "('%s%s' + s).format([1])": ['index 1 out of range', 'index out of range'],
  '[?s]': [
    'cannot initialize optional list element from non-optional value hush(',
    'cannot initialize an optional element from a non-optional value',
  ],
}

suite('an error that quotes values has a message without them', () => {
  for (const [text, [full, without]] of Object.entries(quoting))
    test(text, () => {
      const { message, messageWithoutValues } = errorOf(text, { s: 'hush(', n: 4711, d: 4711.5, m: {} })
      assert.equal(message, said(text, full))
      assert.equal(messageWithoutValues, said(text, without))
    })
})

test('what the expression says itself stays in the message', () => {
  for (const text of ["m.absent == 'x'", "m['absent'] == 'x'", '[1][5] == 1', 'nothing.here', "int('x') == 1"]) {
    const { message, messageWithoutValues } = errorOf(text, { m: {} })
    assert.equal(messageWithoutValues, message)
  }
})
