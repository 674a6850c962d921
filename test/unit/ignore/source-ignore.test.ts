import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGlob } from '../../../lib/ignore/glob.ts'
import { parsePattern } from '../../../lib/ignore/pattern.ts'
import {
  defaultPatterns,
  type Ignores,
  ignoring,
  readPatterns,
  sourceIgnore,
  versionControlPatterns,
} from '../../../lib/ignore/source-ignore.ts'
import { needsCorpus, readJson, readJsonLines } from '../../conformance/corpus.ts'

/** Recorded from fluxcd/pkg/sourceignore. */
interface Case {
  readonly id: string
  readonly sourceignore: Record<string, string>
  readonly ignored: string[]
  readonly ignoredWithDefaults: string[]
  readonly ignoredDirs: string[]
}
interface PatternCase {
  readonly pattern: string
  readonly domain: string[] | null
  readonly path: string[]
  readonly isDir: boolean
  readonly result: 'exclude' | 'include' | 'nomatch'
}

const corpus = needsCorpus('sourceignore')
const namesOf = (path: string) => path.split('/').filter(name => name !== '')

test('ignores the files that Flux ignores', corpus, () => {
  const { files } = readJson<{ files: string[] }>('sourceignore/files.json')
  const cases = readJsonLines<Case>('sourceignore/cases.jsonl')
  // Which folders were recorded is only seen from those that some case ignores.
  const directories = new Set(cases.flatMap(({ ignoredDirs }) => ignoredDirs))
  for (const { id, sourceignore, ...expected } of cases) {
    const patterns = Object.keys(sourceignore)
      .sort()
      .flatMap(directory => readPatterns(sourceignore[directory]!, namesOf(directory)))
    const withDefaults = ignoring([...versionControlPatterns, ...defaultPatterns, ...patterns])
    const among = (paths: Iterable<string>, ignores: Ignores, isDirectory: boolean) =>
      [...paths].filter(path => ignores(path.split('/'), isDirectory))
    const actual = {
      ignored: among(files, ignoring(patterns), false),
      ignoredWithDefaults: among(files, withDefaults, false),
      ignoredDirs: among(directories, withDefaults, true),
    }
    for (const list of ['ignored', 'ignoredWithDefaults', 'ignoredDirs'] as const) {
      assert.deepEqual(actual[list].toSorted(), expected[list].toSorted(), `${id}: ${list}`)
    }
  }
})

test('reads patterns as Flux reads them', corpus, () => {
  for (const { pattern, domain, path, isDir, result } of readJsonLines<PatternCase>(
    'sourceignore/upstream-patterns.jsonl',
  )) {
    const parsed = parsePattern(pattern, domain ?? [])
    const actual = parsed.matches(path, isDir) ? parsed.verdict : 'nomatch'
    assert.equal(actual, result, `${pattern} in ${domain} of ${path.join('/')}`)
  }
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
