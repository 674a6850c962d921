import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGlob, compileGlobs } from '../../../../lib/engines/ignore/glob.ts'
import { parsePattern } from '../../../../lib/engines/ignore/pattern.ts'
import { ignoreFile, readPatterns, sourceIgnore } from '../../../../lib/engines/ignore/source-ignore.ts'
import { corpusFile, needsCorpus } from '../../../conformance/corpus.ts'
import { resultsOf } from '../../../conformance/suite.ts'
import { suite } from '../../../conformance/suites/sourceignore.ts'

test('ignores the files that Flux ignores', needsCorpus('sourceignore'), async () => {
  for await (const { name, problem } of resultsOf(suite, corpusFile('sourceignore')))
    assert.equal(problem, undefined, name)
})

test('drops the default exclusions, but not those of version control, as soon as there is a pattern', () => {
  const ignoredBy = (text: string) =>
    ['img.png', '.sops.yaml', '.gitignore', 'a.md'].filter(name => sourceIgnore(readPatterns(text))([name], false))
  assert.deepEqual(ignoredBy(''), ['img.png', '.sops.yaml', '.gitignore'])
  assert.deepEqual(ignoredBy('# only a comment\n  \n'), ['img.png', '.sops.yaml', '.gitignore'])
  assert.deepEqual(ignoredBy('*.md'), ['.gitignore', 'a.md'])
})

test('matches names as Go does', () => {
  const matching = (pattern: string, ...names: string[]) => names.filter(compileGlob(pattern))
  assert.deepEqual(matching('[a-c]?', 'a', 'ab', 'bß', 'd1', 'c😀'), ['ab', 'bß', 'c😀'])
  assert.deepEqual(matching('[^a-c]*', 'a', 'd', 'de', '😀'), ['d', 'de', '😀'])
  assert.deepEqual(matching('\\[*\\]', '[]', '[x]', 'x'), ['[]', '[x]'])
  assert.deepEqual(matching('[]a]', ']', 'a'), [])
  assert.deepEqual(matching('a\\', 'a\\', 'a'), [])
  assert.deepEqual(matching('*[', '[', 'a['), [])
  assert.deepEqual(matching('*a*b*', 'ab', 'xaxbx', 'ba'), ['ab', 'xaxbx'])
  assert.deepEqual(matching('a**', 'a', 'abc', 'b'), ['a', 'abc'])
  assert.deepEqual(matching('[^a]', 'a', '^', '['), ['^', '['])
  assert.deepEqual(matching('[\\]x]y', ']y', 'xy', '\\y'), [']y', 'xy'])
  assert.deepEqual(matching('[+\\-]', '+', ',', '-'), ['+', '-'])
})

test('many patterns at once match what each of them does', () => {
  const together = (...patterns: string[]) =>
    ['a', 'ab', 'xab', 'b', 'cb', 'c', '[c]', ''].filter(compileGlobs(patterns))
  assert.deepEqual(together(), [])
  assert.deepEqual(together('ab', 'xab'), ['ab', 'xab'])
  assert.deepEqual(together('*ab', '*bb'), ['ab', 'xab'])
  assert.deepEqual(together('?b'), ['ab', 'cb'])
  assert.deepEqual(together('[c]'), ['c'])
  assert.deepEqual(together('a', '*cb', '[b]', '[c]'), ['a', 'b', 'cb', 'c'])
  assert.deepEqual(together('*', 'a'), ['a', 'ab', 'xab', 'b', 'cb', 'c', '[c]', ''])
})

test('a malformed pattern matches nothing, as for Go', () => {
  for (const pattern of ['[', '[^', 'x[', '[a-', '[a-]', '[-a]', '[^-a]', '[a-b-c]', '[a-]b]', '[]a]', '[^]a]', '[\\'])
    for (const name of ['a', 'b', '-', '^', 'xa', 'xa]', 'a]']) assert.equal(compileGlob(pattern)(name), false, pattern)
})

test('a pattern with slashes starts at the folder of its file, and at any depth behind two stars', () => {
  const matching = (pattern: string, ...paths: string[]) =>
    paths.filter(path =>
      parsePattern(pattern, ['base']).matches(path.replace(/\/$/, '').split('/'), path.endsWith('/')),
    )
  assert.deepEqual(matching('a/b/', 'base/a/b', 'base/a/b/', 'base/a/b/c', 'a/b/', 'base/x/a/b/'), [
    'base/a/b/',
    'base/a/b/c',
  ])
  assert.deepEqual(matching('**/b', 'base/b', 'base/a/b', 'b', 'base/'), ['base/b', 'base/a/b'])
  assert.deepEqual(matching('**//b', 'base/b', 'base/a/b'), ['base/b'])
  assert.deepEqual(matching('a/**', 'base/a', 'base/a/b/c', 'base/b'), ['base/a', 'base/a/b/c'])
  assert.deepEqual(matching('base', 'base/', 'base/x', 'base/base'), ['base/base'])
  for (const pattern of ['/', '/**', 'a**/b', '**a/b'])
    assert.equal(parsePattern(pattern).matches(['a', 'b'], true), false, pattern)
})

test('an ignore file is .sourceignore, with lines of any system', () => {
  assert.equal(ignoreFile, '.sourceignore')
  const ignores = sourceIgnore(readPatterns('a\r\nb\rc\n'))
  assert.deepEqual(
    ['a', 'b', 'c', 'bc', 'b\rc'].filter(name => ignores([name], false)),
    ['a', 'b\rc'],
  )
})

test('takes hostile patterns without hanging', () => {
  const name = 'a'.repeat(2000)
  assert.equal(compileGlob(`${'*a'.repeat(1000)}b`)(name), false)
  assert.equal(parsePattern(`${'**/a/'.repeat(1000)}b`).matches(Array(2000).fill('a'), false), false)
  assert.equal(parsePattern(`x${' '.repeat(50_000)}y`).matches(['x'], false), false)
  // Otherwise this would not end for hours.
})
