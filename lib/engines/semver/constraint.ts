import { quote } from '../../foundations/go/quote.ts'
import { compareVersions, parseVersion, type Version } from './version.ts'

/** Version ranges in the syntax of Masterminds/semver 3.5, which Flux and Helm use: `>=1.2 <2 || ~3.1, !=3.1.4`. */
export interface Constraint {
  matches(version: Version): boolean
}

export class InvalidConstraint extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidConstraint'
  }
}

/** Masterminds' limit for a range: it bounds the search for hyphen ranges, which is quadratic. */
const MAX_BYTES = 512

const WILDCARD = '[0-9|xX*]+'
const SUFFIX = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const BOUND = `v?${WILDCARD}(?:\\.${WILDCARD}){0,2}(?:-${SUFFIX})?(?:\\+${SUFFIX})?`
const BOUND_PARTS = `v?(${WILDCARD})(?:\\.(${WILDCARD}))?(?:\\.(${WILDCARD}))?(-${SUFFIX})?(?:\\+${SUFFIX})?`
const SPACE = '[\\t\\n\\f\\r ]'
const COMPARISON = new RegExp(`${SPACE}*(=>|>=|=<|<=|!=|~>|=|>|<|~|\\^|)${SPACE}*${BOUND_PARTS}`, 'y')
const SEPARATOR = new RegExp(`${SPACE}*(?:,${SPACE}*)?`, 'y')
const HYPHEN_RANGE = new RegExp(`${SPACE}*(${BOUND})${SPACE}+-${SPACE}+(${BOUND})${SPACE}*`, 'g')

/** Parses a range; fails with InvalidConstraint and Masterminds' message. */
export const parseConstraint = (text: string): Constraint => {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new InvalidConstraint(`constraint string is too long (max ${MAX_BYTES} bytes)`)
  const alternatives = withoutHyphenRanges(text).split('||').map(parseAlternative)
  return { matches: version => alternatives.some(alternative => alternative(version)) }
}

/** As in Masterminds, it replaces the first occurrence of the same text, even within another range. */
const withoutHyphenRanges = (text: string): string =>
  Array.from(text.matchAll(HYPHEN_RANGE)).reduce(
    (written, [range, from, to]) => written.replace(range, `>= ${from}, <= ${to} `),
    text,
  )

type Predicate = (version: Version) => boolean

/** Comparisons that must all be true. Prereleases only match if one of the comparisons has a prerelease. */
const parseAlternative = (text: string): Predicate => {
  const bounds = readComparisons(text)
  const admitsPrereleases = bounds.some(({ bound }) => bound.prerelease !== '')
  return version =>
    (version.prerelease === '' || admitsPrereleases) &&
    bounds.every(({ operator, bound }) => OPERATORS[operator](version, bound))
}

const readComparisons = (text: string): Comparison[] => {
  const improper = () => new InvalidConstraint(`improper constraint: ${quote(text)}`)
  const comparisons: Comparison[] = []
  for (let position = 0; ; ) {
    COMPARISON.lastIndex = position
    const found = COMPARISON.exec(text)
    if (!found) throw improper()
    comparisons.push(comparisonOf(found))
    SEPARATOR.lastIndex = COMPARISON.lastIndex
    const separator = SEPARATOR.exec(text)![0]
    position = SEPARATOR.lastIndex
    const ends = position === text.length && !separator.includes(',')
    if (ends) return comparisons
    if (separator === '') throw improper()
  }
}

interface Comparison {
  readonly operator: Operator
  readonly bound: Bound
}

/** The version of a comparison; `open` is the first part that is a wildcard or missing: all parts from there on are free. */
interface Bound extends Version {
  readonly open: 'major' | 'minor' | 'patch' | undefined
}

const isWildcard = (part: string | undefined): boolean => part === undefined || /^[xX*]$/.test(part)

const comparisonOf = ([, operator, major, minor, patch, prerelease = '']: RegExpExecArray): Comparison => {
  const open = isWildcard(major) ? 'major' : isWildcard(minor) ? 'minor' : isWildcard(patch) ? 'patch' : undefined
  const core = {
    major: '0.0.0',
    minor: `${major}.0.0`,
    patch: `${major}.${minor}.0`,
    none: `${major}.${minor}.${patch}`,
  }
  try {
    const version = parseVersion(core[open ?? 'none'] + prerelease)
    return { operator: operator as Operator, bound: { ...version, open } }
  } catch {
    throw new InvalidConstraint('constraint parser error')
  }
}

const equal = (version: Version, bound: Bound) => compareVersions(version, bound) === 0
const below = (version: Version, bound: Bound) => compareVersions(version, bound) < 0
const above = (version: Version, bound: Bound) => compareVersions(version, bound) > 0

/** `~1.2.3`: the same minor version; `~1`, `~1.x`: the same major version. */
const tilde = (version: Version, bound: Bound): boolean => {
  if (below(version, bound)) return false
  const isZero = bound.major === 0 && bound.minor === 0 && bound.patch === 0
  if (isZero && (bound.open === undefined || bound.open === 'major')) return true
  return version.major === bound.major && (version.minor === bound.minor || bound.open === 'minor')
}

/** `^1.2.3`: the leftmost non-zero number, and everything to its left, must stay the same. */
const caret = (version: Version, bound: Bound): boolean => {
  if (below(version, bound)) return false
  if (bound.major > 0 || bound.open === 'minor') return version.major === bound.major
  if (version.major > 0) return false
  if (bound.minor > 0 || bound.open === 'patch') return version.minor === bound.minor
  return version.minor === 0 && version.patch === bound.patch
}

const notEqual = (version: Version, bound: Bound): boolean => {
  if (bound.open && version.major !== bound.major) return true
  if (bound.open === 'minor') return false
  if (bound.open && version.minor !== bound.minor) return true
  if (bound.open === 'patch') return version.prerelease !== bound.prerelease
  return !equal(version, bound)
}

const greater = (version: Version, bound: Bound): boolean => {
  if (bound.open === 'minor') return version.major > bound.major
  if (bound.open === 'patch' && version.major === bound.major) return version.minor > bound.minor
  return above(version, bound)
}

const lessOrEqual = (version: Version, bound: Bound): boolean => {
  if (bound.open === 'minor') return version.major <= bound.major
  if (bound.open && version.major === bound.major) return version.minor <= bound.minor
  return !above(version, bound)
}

const same = (version: Version, bound: Bound): boolean => (bound.open ? tilde(version, bound) : equal(version, bound))
const atLeast = (version: Version, bound: Bound): boolean => !below(version, bound)

const OPERATORS = {
  '': same,
  '=': same,
  '!=': notEqual,
  '>': greater,
  '>=': atLeast,
  '=>': atLeast,
  '<': below,
  '<=': lessOrEqual,
  '=<': lessOrEqual,
  '~': tilde,
  '~>': tilde,
  '^': caret,
}
type Operator = keyof typeof OPERATORS
