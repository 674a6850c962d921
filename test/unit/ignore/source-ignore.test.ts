import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGlob } from '../../../lib/ignore/glob.ts'
import { parsePattern } from '../../../lib/ignore/pattern.ts'
import { readPatterns, sourceIgnore } from '../../../lib/ignore/source-ignore.ts'
import { corpusFile, needsCorpus } from '../../conformance/corpus.ts'
import { suite } from '../../conformance/suites/sourceignore.ts'

test('ignores the files that Flux ignores', needsCorpus('sourceignore'), async () => {
  for await (const { name, problem } of suite.run(corpusFile('sourceignore'))) assert.equal(problem, undefined, name)
})

test('drops the default exclusions, but not those of version control, as soon as there is a pattern', () => {
  const ignoredBy = (text: string) =>
    ['img.png', '.sops.yaml', '.gitignore', 'a.md'].filter(name => sourceIgnore(readPatterns(text))([name], false))
  assert.deepEqual(ignoredBy(''), ['img.png', '.sops.yaml', '.gitignore'])
  assert.deepEqual(ignoredBy('# only a comment\n'), ['img.png', '.sops.yaml', '.gitignore'])
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
})

test('takes hostile patterns without hanging', () => {
  const started = performance.now()
  const name = 'a'.repeat(2000)
  assert.equal(compileGlob(`${'*a'.repeat(1000)}b`)(name), false)
  assert.equal(parsePattern(`${'**/a/'.repeat(1000)}b`).matches(Array(2000).fill('a'), false), false)
  assert.equal(parsePattern(`x${' '.repeat(50_000)}y`).matches(['x'], false), false)
  assert.ok(performance.now() - started < 2000)
})
