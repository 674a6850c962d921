import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConstraint } from '../../../../lib/engines/semver/constraint.ts'
import { highestTags } from '../../../../lib/engines/semver/matching-tags.ts'
import { parseVersion } from '../../../../lib/engines/semver/version.ts'
import { corpusFile, needsCorpus } from '../../../conformance/corpus.ts'
import { resultsOf } from '../../../conformance/suite.ts'
import { suite } from '../../../conformance/suites/semver.ts'

test('reads versions and ranges as Masterminds and Flux do', needsCorpus('semver'), async () => {
  for await (const { name, problem } of resultsOf(suite, corpusFile('semver'))) assert.equal(problem, undefined, name)
})

test('takes prereleases into account only where the range names one', () => {
  const tags = ['v1.0.0', 'v1.1.0-rc.1', 'v1.1.0-rc.2', '2.0.0', 'main', '1.5']
  assert.deepEqual(highestTags(parseConstraint('1.x'), tags), ['v1.0.0'])
  assert.deepEqual(highestTags(parseConstraint('1.x-0'), tags), ['v1.1.0-rc.2'])
  assert.deepEqual(highestTags(parseConstraint('>1.0.0-0 <2'), tags), ['v1.1.0-rc.2'])
  assert.deepEqual(highestTags(parseConstraint('>=3'), tags), [])
})

test('keeps tags that only differ in build metadata apart', () => {
  assert.deepEqual(highestTags(parseConstraint('*'), ['1.0.0+a', '1.0.0+b', '0.9.0']), ['1.0.0+a', '1.0.0+b'])
})

test('of hyphen ranges that are in one another the first text is taken for each', () => {
  const improper = (range: string, shown: string) =>
    assert.throws(() => parseConstraint(range), { message: `improper constraint: ${JSON.stringify(shown)}` })
  improper('1 - 2-beta||1 - 2', '>= 1, <= 2-beta >= ')
  improper('1 - 2||1 - 2', '1 - 2')
  const range = parseConstraint('1 - 2-a || 1 - 2 || 3')
  assert.deepEqual(highestTags(range, ['1.5.0', '2.0.0', '3.0.0']), ['3.0.0'])
})

test('ranges mean what the tables of Masterminds say', () => {
  const same: [range: string, meaning: string][] = [
    ['1.2 - 1.4.5', '>= 1.2 <= 1.4.5'],
    ['1.2.0 - 1.2.9 || 2.3.4 - 4.5', '>=1.2.0 <1.2.10 || >= 2.3.4 < 4.6'],
    ['1.2.x', '>= 1.2.0, < 1.3.0'],
    ['>= 1.2.x', '>= 1.2.0'],
    ['<= 2.x', '< 3'],
    ['<= 1.2.x', '< 1.3'],
    ['*', '>= 0.0.0'],
    ['~0.0.0', '*'],
    ['~0.0.3', '>= 0.0.3, < 0.1'],
    ['~0.1.2', '>= 0.1.2, < 0.2'],
    ['~0.1.0', '>= 0.1.0, < 0.2'],
    ['~1.2.3', '>= 1.2.3, < 1.3.0'],
    ['~1', '>= 1, < 2'],
    ['~2.3', '>= 2.3, < 2.4'],
    ['~1.2.x', '>= 1.2.0, < 1.3.0'],
    ['~1.x', '>= 1, < 2'],
    ['^1.2.3', '>= 1.2.3, < 2.0.0'],
    ['^1.2.x', '>= 1.2.0, < 2.0.0'],
    ['^2.x', '>= 2.0.0, < 3'],
    ['^0.2.3', '>=0.2.3 <0.3.0'],
    ['^0.2', '>=0.2.0 <0.3.0'],
    ['^0.0.3', '>=0.0.3 <0.0.4'],
    ['^0.0', '>=0.0.0 <0.1.0'],
    ['^0', '>=0.0.0 <1.0.0'],
    ['>1', '>= 2'],
    ['>1.2.3', '>= 1.2.4'],
    ['>*', '>0.0.0'],
    ['>1.2', '>= 1.3'],
    ['!=1.2.x', '< 1.2 || >= 1.3'],
    ['!=1.x', '< 1 || >= 2'],
  ]
  const parts = [0, 1, 2, 3, 4, 9]
  const versions = parts.flatMap(major =>
    parts.flatMap(minor => parts.map(patch => parseVersion(`${major}.${minor}.${patch}`))),
  )
  const matching = (range: string) =>
    versions.filter(version => parseConstraint(range).matches(version)).map(({ original }) => original)
  for (const [range, meaning] of same) assert.deepEqual(matching(range), matching(meaning), range)
})

test('a prerelease of a wildcard is unequal to others, and to the release', () => {
  const matching = (range: string) =>
    ['1.2.0', '1.2.1-alpha', '1.2.1-beta', '1.3.0-alpha'].filter(tag =>
      parseConstraint(range).matches(parseVersion(tag)),
    )
  assert.deepEqual(matching('!=1.2.x-alpha'), ['1.2.0', '1.2.1-beta', '1.3.0-alpha'])
  assert.deepEqual(matching('!=1.2.x >0.0.0-0'), ['1.2.1-alpha', '1.2.1-beta', '1.3.0-alpha'])
})

test('says why a text is no range', () => {
  const bad: Record<string, string> = {
    '': 'improper constraint: ""',
    '>1.0.0<2.0.0': 'improper constraint: ">1.0.0<2.0.0"',
    '\u009f\x07é': 'improper constraint: "\\u009f\\aé"',
    '>1.0.0,': 'improper constraint: ">1.0.0,"',
    '1x': 'constraint parser error',
    'x1.0': 'constraint parser error',
    '1.2.x3': 'constraint parser error',
    [`1${' '.repeat(512)}`]: 'constraint string is too long (max 512 bytes)',
    ['é'.repeat(257)]: 'constraint string is too long (max 512 bytes)',
    ['é'.repeat(256)]: `improper constraint: "${'é'.repeat(256)}"`,
  }
  for (const [text, message] of Object.entries(bad))
    assert.throws(() => parseConstraint(text), { name: 'InvalidConstraint', message }, text.slice(0, 20))
  assert.ok(parseConstraint(`1${' '.repeat(511)}`).matches(parseVersion('1.5.0')))
})

test('says why a text is no version', () => {
  const bad: Record<string, string> = {
    '1.0.0-a.01': 'version segment starts with 0',
    '1.0.0-0123': 'version segment starts with 0',
    '9007199254740992.0.0': 'invalid semantic version',
    '18446744073709551615.0.0': 'invalid semantic version',
    '1.018446744073709551616.3-a.01':
      'error parsing version segment: strconv.ParseUint: parsing "018446744073709551616": value out of range',
    one: 'invalid semantic version',
    [`1.0.0-${'a'.repeat(251)}`]: 'version string is too long (max 256 bytes)',
    ['é'.repeat(129)]: 'version string is too long (max 256 bytes)',
    ['é'.repeat(128)]: 'invalid semantic version',
  }
  for (const [text, message] of Object.entries(bad))
    assert.throws(() => parseVersion(text), { name: 'InvalidVersion', message }, text)
  assert.equal(parseVersion('1.0.0-01a').prerelease, '01a')
  assert.equal(parseVersion(`1.0.0-${'a'.repeat(250)}`).major, 1)
  assert.equal(parseVersion('0012.0.00').parsed.raw, '12.0.0')
})

test('reads a hostile range in a time that nobody notices', () => {
  for (const text of ['1'.repeat(512), ' '.repeat(512), `1${' '.repeat(510)}-`, '1-a'.repeat(170), '1'.repeat(1e7)]) {
    assert.throws(() => parseConstraint(text).matches(parseVersion('1.0.0-x')), { name: 'InvalidConstraint' })
  }
  // Otherwise this would not end for hours.
})
