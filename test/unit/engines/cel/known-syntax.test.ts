import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expression } from '../../../../lib/engines/cel/expression.ts'
import { printed } from '../../../../lib/engines/cel/printed.ts'

test('what cel-go refuses and the parser would take is refused with the reason', () => {
  for (const [text, reason] of [
    ['on ? on ? 1 : 2 : 3', 'a choice within a choice needs brackets'],
    ['-!on', '"!" can\'t follow "-"'],
    ['!-port', '"-" after "!" must be the sign of a number'],
    ['[1, ?]', 'an entry is missing between "?" and "]"'],
    ['size(tags, )', 'an argument is missing between "," and ")"'],
    ['. 5', 'a name is missing between "." and "5"'],
  ] as const)
    assert.throws(() => expression(text), {
      name: 'CelError',
      stage: 'parse',
      message: `failed to parse the CEL expression '${text}': ${reason}`,
    })
})

test('what the parser refuses is shown as it was written', () => {
  for (const text of ['port < ', 'a <= b )', "'a' in tags 1", 'size(a > b c)', '[1 == 2, on == off ? 1 : 2 3]'])
    assert.throws(
      () => expression(text),
      ({ message }: Error) => message.includes(`> 1 | ${text}`.replace('> 1', '>    1')),
    )
})

test('maps are printed with their entries in order', () => {
  assert.equal(
    printed(
      new Map([
        ['a', 1n],
        ['b', null],
      ]),
    ),
    '{a: 1, b: 0}',
  )
})
