import assert from 'node:assert/strict'
import { test } from 'node:test'
import { envsubst } from '../../../../lib/engines/substitute/envsubst.ts'
import { matchingPrefixes } from '../../../../lib/engines/substitute/glob.ts'
import { operate } from '../../../../lib/engines/substitute/operate.ts'
import { parseTemplate } from '../../../../lib/engines/substitute/parse-template.ts'
import { corpusFile, needsCorpus } from '../../../conformance/corpus.ts'
import { resultsOf } from '../../../conformance/suite.ts'
import { suite } from '../../../conformance/suites/envsubst.ts'

test(
  "KS-183..194, KS-203 expands expressions as Flux's envsubst does, errors included",
  needsCorpus('envsubst'),
  async () => {
    const results = await Array.fromAsync(resultsOf(suite, corpusFile('envsubst')))
    assert.deepEqual(
      results.filter(({ problem }) => problem),
      [],
    )
  },
)

test('an operand that turns out empty is an operand all the same', () => {
  const variables = new Map([
    ['S', 'abcabc'],
    ['EMPTY', ''],
  ])
  const expand = (text: string) => envsubst(text, variables, { strict: true })
  assert.equal(expand('${S/#abc/${EMPTY}} ${S/%abc/${EMPTY}} ${S/#abc/}'), 'abc abc abcabc')
  assert.equal(expand('${S:1:${EMPTY}} ${S:99999999999999999999}'), 'abcabc abcabc')
})

test('a colon before a character of several bytes makes a bad substitution', () => {
  const expand = (text: string) => () => envsubst(text, new Map([['A', 'alpha']]), { strict: false })
  for (const text of ['${A:é}', '${A:é1}', 'x ${missing:世:1}'])
    assert.throws(expand(text), /^SubstitutionError: bad substitution$/)
  assert.equal(expand('${A:=é}${A:\u007f}')(), 'alphaalpha')
})

test('a negative length counts from the end', () => {
  const values = [
    '0:-2',
    '1:-1',
    '4:-1',
    '5:-1',
    '9:-1',
    '0:-5',
    '0:-6',
    '2:-3',
    '2:-4',
    ' -3:-1',
    ' -9:-4',
    '0:-0',
  ].map(range => envsubst(`\${n:${range}}`, new Map([['n', '12345']]), { strict: true }))
  assert.deepEqual(values, ['123', '234', '', '', '', '', '', '', '', '12345', '12345', ''])
})

test('a negative offset, which only a variable can bring, counts from the end', () => {
  const variables = new Map([
    ['n', '12345'],
    ['back', '-2'],
    ['far', '-9'],
    ['plus', '+2'],
  ])
  const ranges = ['${back}', '${back}:1', '${back}:2', '${back}:${back}', '${far}', '${far}:2', '${plus}:${plus}']
  assert.deepEqual(
    ranges.map(range => envsubst(`\${n:${range}}`, variables, { strict: true })),
    ['45', '4', '45', '', '12345', '12', '34'],
  )
})

test('numbers of 64 bits are positions, larger ones are none', () => {
  const cut = (range: string) => envsubst(`\${n:${range}}`, new Map([['n', '12345']]), { strict: true })
  assert.equal(cut('9223372036854775807'), '')
  assert.equal(cut('9223372036854775808'), '12345')
  assert.equal(cut('0:9223372036854775807'), '12345')
  assert.equal(cut('1:-9223372036854775808'), '')
  assert.equal(cut('1:-9223372036854775809'), '12345')
})

test('takes time in proportion to its input, whatever the pattern', () => {
  const variables = new Map([['A', 'a'.repeat(20_000)]])
  assert.equal(envsubst(`\${A##${'*a'.repeat(20)}b}`, variables, { strict: true }).length, 20_000)
  // Otherwise this would not end for hours.
})

test('refuses expressions nested too deeply', () => {
  const nested = `${'${A:='.repeat(5_000)}x${'}'.repeat(5_000)}`
  assert.throws(() => envsubst(nested, new Map(), { strict: true }), /nested too deeply/)
})

test('refuses results that outgrow memory', () => {
  const variables = new Map([['BIG', 'x'.repeat(1_000_000)]])
  const expand = (text: string) => () => envsubst(text, variables, { strict: true })
  assert.throws(expand('${BIG}'.repeat(1_000)), /the result is longer than/)
  assert.throws(expand('${A:=${BIG}${BIG}}'.repeat(1_000)), /the result is longer than/)
  assert.throws(expand('${BIG//x/${BIG}}'), /the replacements are too long/)
})

test('patterns are those of a shell', () => {
  const removed = (pattern: string, text: string) => {
    const { shortest = 0, longest = 0 } = matchingPrefixes(pattern, [...text]) ?? {}
    return [text.slice(0, shortest), text.slice(0, longest)]
  }
  assert.deepEqual(removed('a*', 'abc'), ['a', 'abc'])
  assert.deepEqual(removed('?', 'abc'), ['a', 'a'])
  assert.deepEqual(removed('\\*a', '*ab'), ['*a', '*a'])
  assert.deepEqual(removed('\\*a', 'xa'), ['', ''])
  for (const letter of 'acd') assert.deepEqual(removed('[a-cd]', letter), [letter, letter])
  for (const letter of 'e`-') assert.deepEqual(removed('[a-cd]', letter), ['', ''])
  for (const letter of 'x^-') assert.deepEqual(removed('[^a-c]*1', `${letter}21`), [`${letter}21`, `${letter}21`])
  assert.deepEqual(removed('[^a-c]', 'b'), ['', ''])
  assert.deepEqual(removed('[a^]', '^'), ['^', '^'])
  assert.deepEqual(removed('[a\\-z]x', '-x'), ['-x', '-x'])
  assert.deepEqual(removed('[a\\-z]', 'b'), ['', ''])
  assert.deepEqual(removed('[\\]]', ']'), [']', ']'])
  assert.equal(matchingPrefixes('x', ['y']), undefined)
})

test('a malformed pattern matches nothing', () => {
  for (const pattern of ['[', '[^', '[a', '[a-', '[]', '[^]a]', '[-a]', '[^-a]', '[a-]', '[^a-]', '[a-c-e]', 'a\\'])
    for (const text of ['a', 'b', '-', ']', 'a\\'])
      assert.equal(matchingPrefixes(pattern, [...text]), undefined, `${pattern} ${text}`)
})

test('parts of a value are selected by offset and length, negative offsets from the end', () => {
  const part = (...operands: string[]) => operate(':', 'abcdef', operands)
  assert.equal(part('-2'), 'ef')
  assert.equal(part('-9'), 'abcdef')
  assert.equal(part('-4', '2'), 'cd')
  assert.equal(part('+1'), 'bcdef')
  assert.equal(part('9'), '')
  for (const none of ['x', '1x', '1e1']) assert.equal(part(none, '1'), 'abcdef')
  assert.equal(part('1', 'x'), 'abcdef')
})

test('operators do to values what they say', () => {
  assert.equal(operate(':+', '', ['x', 'y']), 'xy')
  assert.equal(operate(':+', 'v', ['x']), 'v')
  assert.equal(operate('//', 'abab', ['b']), 'aa')
  assert.equal(operate('//', 'a a a a a a a a', ['a', 'bbb']), 'bbb bbb bbb bbb bbb bbb bbb bbb')
  assert.equal(operate('/#', 'abc', ['c', 'x']), 'abc')
  assert.equal(operate('/%', 'abc', ['a', 'x']), 'abc')
  assert.equal(operate('/%', 'abc', ['c']), 'abc')
  assert.equal(operate('^', '', []), '')
  assert.equal(operate('^^', 'straße', []), 'STRAßE')
})

test('a template is read into text and expressions', () => {
  const plain = { variable: 'a', operands: [] }
  assert.deepEqual(parseTemplate('x${a}${#a}${a^}'), [
    'x',
    { ...plain, operator: '' },
    { ...plain, operator: 'length' },
    { ...plain, operator: '^' },
  ])
  assert.deepEqual(parseTemplate('${a:1::2}'), [{ variable: 'a', operator: ':', operands: [['1'], ['2']] }])
  assert.deepEqual(parseTemplate('${a/b///c}'), [{ variable: 'a', operator: '/', operands: [['b'], ['c']] }])
  assert.deepEqual(parseTemplate('${a:+b}'), [{ variable: 'a', operator: ':+', operands: [['b']] }])
  assert.throws(() => parseTemplate('${#}'), { name: 'SubstitutionError', message: 'bad substitution' })
})

test('what is just within the bounds is taken', () => {
  const nested = (depth: number) => `${'${A:='.repeat(depth)}x${'}'.repeat(depth)}`
  const expand = (text: string, variables: Record<string, string> = {}) =>
    envsubst(text, new Map(Object.entries(variables)), { strict: false })
  assert.equal(expand(nested(100)), 'x')
  assert.throws(() => expand(nested(101)), /nested too deeply/)
  const megabyte = 'x'.repeat(1024 * 1024)
  assert.equal(expand('${M}'.repeat(16), { M: megabyte }).length, 16 * 1024 * 1024)
  const replaced = expand('${S//a/${R}}', { S: 'a'.repeat(2 ** 14 - 1), R: 'b'.repeat(2 ** 10) })
  assert.equal(replaced.length, (2 ** 14 - 1) * 2 ** 10)
})
