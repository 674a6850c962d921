import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConstraint } from '../../../lib/semver/constraint.ts'
import { highestTags } from '../../../lib/semver/matching-tags.ts'
import { parseVersion } from '../../../lib/semver/version.ts'
import { corpusFile, needsCorpus } from '../../conformance/corpus.ts'
import { suite } from '../../conformance/suites/semver.ts'

test('reads versions and ranges as Masterminds and Flux do', needsCorpus('semver'), async () => {
  for await (const { name, problem } of suite.run(corpusFile('semver'))) assert.equal(problem, undefined, name)
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

test('reads a hostile range in a time that nobody notices', () => {
  const started = performance.now()
  for (const text of [
    '1'.repeat(4096),
    ' '.repeat(4096),
    `1${' '.repeat(4094)}-`,
    '1-a'.repeat(1365),
    '1'.repeat(1e7),
  ]) {
    assert.throws(() => parseConstraint(text).matches(parseVersion('1.0.0-x')), { name: 'InvalidConstraint' })
  }
  assert.ok(performance.now() - started < 2000)
})
