import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConstraint } from '../../../lib/semver/constraint.ts'
import { highestTags, matchingTags } from '../../../lib/semver/matching-tags.ts'
import { compareVersions, parseVersion, type Version } from '../../../lib/semver/version.ts'
import { needsCorpus, readJson, readJsonLines } from '../../conformance/corpus.ts'

/** Recorded from Masterminds/semver 3.5 and fluxcd/pkg/version. */
interface Pools {
  readonly pools: Record<string, string[]>
  readonly parse: { version: string; canonical?: string; prerelease?: string; error?: string }[]
  readonly compare: { a: string; b: string; cmp: number }[]
}
interface Case {
  readonly id: string
  readonly constraint: string
  readonly pool: string
  readonly matches: string[]
  readonly highest?: string
  readonly fluxHighest?: string
  readonly error?: string
}

const corpus = needsCorpus('semver')
const parsed = (texts: readonly string[]): Version[] =>
  texts.flatMap(text => {
    try {
      return [parseVersion(text)]
    } catch {
      return []
    }
  })

test('matches the versions that Masterminds matches, and refuses what it refuses in its words', corpus, () => {
  const { pools } = readJson<Pools>('semver/pools.json')
  for (const { id, constraint, pool, matches, error } of readJsonLines<Case>('semver/cases.jsonl')) {
    if (error) {
      assert.throws(() => parseConstraint(constraint), { name: 'InvalidConstraint', message: error }, id)
      continue
    }
    const range = parseConstraint(constraint)
    const actual = parsed(pools[pool]!).filter(version => range.matches(version))
    assert.deepEqual(
      actual.map(version => version.original),
      matches,
      `${id}: ${constraint}`,
    )
  }
})

test('picks the highest tag that Flux picks', corpus, () => {
  const { pools } = readJson<Pools>('semver/pools.json')
  for (const { id, constraint, pool, fluxHighest, error } of readJsonLines<Case>('semver/cases.jsonl')) {
    if (error) continue
    const highest = highestTags(parseConstraint(constraint), pools[pool]!)
    if (fluxHighest === undefined) assert.deepEqual(highest, [], id)
    else assert.ok(highest.includes(fluxHighest), `${id}: ${constraint} picked ${highest}, Flux ${fluxHighest}`)
  }
})

test('sorts tags as Flux sorts them', corpus, () => {
  type Sorting = { constraint: string; versions: string[]; sorted: string[] }
  for (const { constraint, versions, sorted } of readJsonLines<Sorting>('semver/upstream-sort.jsonl')) {
    const actual = matchingTags(parseConstraint(constraint), versions).map(version => version.original)
    const canonical = (tags: string[]) => tags.map(tag => parseVersion(tag).parsed.version)
    assert.deepEqual(canonical(actual), canonical(sorted), constraint)
    assert.deepEqual(actual.toSorted(), sorted.toSorted(), constraint)
  }
})

test('reads and compares versions as Masterminds does', corpus, () => {
  const { parse, compare } = readJson<Pools>('semver/pools.json')
  for (const { version, canonical, prerelease, error } of parse) {
    if (error) {
      assert.throws(() => parseVersion(version), { name: 'InvalidVersion', message: error }, version)
      continue
    }
    const actual = parseVersion(version)
    assert.equal(actual.parsed.raw, canonical, version)
    assert.equal(actual.prerelease, prerelease, version)
  }
  for (const { a, b, cmp } of compare) {
    assert.equal(compareVersions(parseVersion(a), parseVersion(b)), cmp, `${a} and ${b}`)
  }
})

test('reads a hostile range in linear time', () => {
  const started = performance.now()
  for (const text of [
    '1'.repeat(4096),
    ' '.repeat(4096),
    `1${' '.repeat(4094)}-`,
    '1-a'.repeat(1365),
    '1'.repeat(1e7),
  ]) {
    assert.throws(() => parseConstraint(text).matches(parseVersion('1.0.0-x')), /improper constraint|parser error/)
  }
  assert.ok(performance.now() - started < 1000)
})
