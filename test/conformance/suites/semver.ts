import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseConstraint } from '../../../lib/engines/semver/constraint.ts'
import { highestTags, matchingTags } from '../../../lib/engines/semver/matching-tags.ts'
import { compareVersions, parseVersion, type Version } from '../../../lib/engines/semver/version.ts'
import { jsonLines } from '../json-lines.ts'
import { type CaseResult, type ConformanceSuite, difference } from '../suite.ts'

/** Recorded from Masterminds/semver 3.5 and fluxcd/pkg/version. */
interface Pools {
  readonly pools: Readonly<Record<string, readonly string[]>>
  readonly parse: readonly VersionCase[]
  readonly compare: readonly { a: string; b: string; cmp: number }[]
}
interface VersionCase {
  readonly version: string
  readonly canonical?: string
  readonly prerelease?: string
  readonly error?: string
  readonly fluxError?: string
}
interface ConstraintCase {
  readonly id: string
  readonly constraint: string
  readonly pool: string
  readonly matches?: readonly string[]
  readonly fluxHighest?: string
  readonly error?: string
}
interface ParseCase {
  readonly version: string
  readonly parsed?: string
  readonly error?: string
}
interface SortCase {
  readonly constraint: string
  readonly versions: readonly string[]
  readonly sorted: readonly string[]
}

export const suite: ConformanceSuite = {
  folder: 'semver',
  *cases(directory) {
    const casesIn = <T>(file: string): T[] =>
      existsSync(join(directory, file)) ? jsonLines(join(directory, file)) : []
    const { pools, parse, compare } = JSON.parse(readFileSync(join(directory, 'pools.json'), 'utf8')) as Pools
    for (const each of casesIn<ConstraintCase>('cases.jsonl'))
      yield () => constraintResult(each, pools[each.pool] ?? [])
    for (const each of parse) yield () => versionResult(each)
    for (const { a, b, cmp } of compare)
      yield () => ({ name: `compare ${a} ${b}`, problem: difference(compared(a, b), String(cmp)) })
    for (const { version, parsed, error } of casesIn<ParseCase>('upstream-parse.jsonl'))
      yield () => ({ name: `flux version ${version}`, problem: difference(fluxVersion(version), parsed ?? error!) })
    for (const each of casesIn<SortCase>('upstream-sort.jsonl')) yield () => sortResult(each)
  },
}

/** What a function gives, or the message of what it throws. */
const outcome = (attempt: () => string): string => {
  try {
    return attempt()
  } catch (error) {
    return (error as Error).message
  }
}

const constraintResult = (
  { id, constraint, matches = [], fluxHighest, error }: ConstraintCase,
  pool: readonly string[],
): CaseResult => {
  const name = `${id} ${constraint}`
  const actual = outcome(() => {
    const range = parseConstraint(constraint)
    return parsable(pool)
      .filter(version => range.matches(version))
      .map(version => version.original)
      .join('\n')
  })
  const problem = difference(actual, error ?? matches.join('\n'))
  if (problem || error) return { name, problem }
  const highest = highestTags(parseConstraint(constraint), pool)
  const isHighest = fluxHighest === undefined ? highest.length === 0 : highest.includes(fluxHighest)
  return isHighest ? { name } : { name, problem: `  the highest is ${highest.join(' or ')}, for Flux ${fluxHighest}` }
}

const parsable = (texts: readonly string[]): Version[] =>
  texts.flatMap(text => {
    try {
      return [parseVersion(text)]
    } catch {
      return []
    }
  })

const compared = (a: string, b: string): string => String(compareVersions(parseVersion(a), parseVersion(b)))

const versionResult = ({ version, canonical, prerelease, error, fluxError }: VersionCase): CaseResult => {
  const actual = outcome(() => {
    const parsed = parseVersion(version)
    return `${parsed.parsed.raw} ${parsed.prerelease}`
  })
  const isFluxVersion = fluxVersion(version) !== 'invalid semantic version'
  const isExpected = (fluxError ?? error) === undefined
  return {
    name: `version ${version}`,
    problem: difference(
      `${actual}\na version to Flux: ${isFluxVersion}`,
      `${error ?? `${canonical} ${prerelease}`}\na version to Flux: ${isExpected}`,
    ),
  }
}

/** As fluxcd/pkg/version parses it: with all three parts, or not at all. */
const fluxVersion = (text: string): string =>
  matchingTags({ matches: () => true }, [text])[0]?.parsed.raw ?? 'invalid semantic version'

const sortResult = ({ constraint, versions, sorted }: SortCase): CaseResult => {
  const actual = matchingTags(parseConstraint(constraint), versions)
  // Go's sort is not stable: equal versions may stand in any order.
  const canonical = difference(
    actual.map(version => version.parsed.version).join('\n'),
    sorted.map(tag => parseVersion(tag).parsed.version).join('\n'),
  )
  const same = difference(
    actual
      .map(version => version.original)
      .sort()
      .join('\n'),
    [...sorted].sort().join('\n'),
  )
  return { name: `sort ${constraint}`, problem: canonical ?? same }
}
