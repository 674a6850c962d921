/** The language of bmatcuk/doublestar v4, as its documentation describes it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileDoubleStar, InvalidGlob } from '../../../../lib/engines/artifact-generator/double-star.ts'

const matches = (pattern: string, path: string): boolean => compileDoubleStar(pattern)(path.split('/'))

const cases: readonly (readonly [pattern: string, path: string, expected: boolean])[] = [
  ['**', 'a/b/c', true],
  ['**/c', 'c', true],
  ['**/c', 'a/b/c', true],
  ['**/c', 'a/b/cc', false],
  ['a/**', 'a', true],
  ['a/**', 'a/b/c', true],
  ['a/**', 'ab', false],
  ['a/**/c', 'a/c', true],
  ['a/**/c', 'a/b/b/c', true],
  ['a**/c', 'ab/c', true],
  ['a**/c', 'a/b/c', false],
  ['*', 'a/b', false],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['[ab]', 'b', true],
  ['[!ab]', 'b', false],
  ['[^ab]', 'c', true],
  ['[a-c]x', 'bx', true],
  ['{a,b/c}', 'b/c', true],
  ['{a,b{1,2}}/*.md', 'b2/x.md', true],
  ['{a,b{1,2}}/*.md', 'b3/x.md', false],
  ['{a,}b', 'b', true],
  ['**/{x,y}/**', 'a/y/z', true],
  [String.raw`\*`, '*', true],
  [String.raw`\*`, 'a', false],
  [String.raw`\{a\}`, '{a}', true],
  ['[{]', '{', true],
]
for (const [pattern, path, expected] of cases)
  test(`${pattern} ${expected ? 'matches' : 'does not match'} ${path}`, () =>
    assert.equal(matches(pattern, path), expected))

for (const pattern of ['[', '[a', 'a{b', 'a}b', '[]', String.raw`a\ `.trim(), '{a,{b}'])
  test(`${pattern} is no pattern`, () => assert.throws(() => compileDoubleStar(pattern), InvalidGlob))

test('braces that multiply to more than 1,000 patterns are refused', () => {
  assert.equal(matches('{a,b}'.repeat(9), 'ababababa'), true)
  assert.throws(() => compileDoubleStar('{a,b}'.repeat(40)), /it has more than 1000 alternatives/)
})
