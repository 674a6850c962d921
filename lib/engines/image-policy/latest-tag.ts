/** Which tag of an image is the latest, as image-reflector-controller chooses it. */
import { compareText } from '../../foundations/go/compare-text.ts'
import { parseFloat64 } from '../../foundations/go/parse-float.ts'
import type { TagFilter, TagPolicy } from '../../foundations/kinds/image-policy.ts'
import { InvalidConstraint, parseConstraint } from '../semver/constraint.ts'
import { matchingTags } from '../semver/matching-tags.ts'
import { filterTags } from './filter-tags.ts'
import { InvalidPolicy } from './invalid-policy.ts'

/** Chooses one of some texts: tags, or what is extracted from them. Fails if there is none. */
type Choose = (texts: readonly string[]) => string

/**
 * The latest of some tags, in the given order of the scan. Fails with InvalidPolicy until the spec changes, with other errors until the
 * tags change.
 */
export const latestTag = (policy: TagPolicy, filter: TagFilter | undefined, tags: readonly string[]): string => {
  const choose = chooserOf(policy)
  if (!filter) return requireAny(tags, choose)
  const byExtract = filterTags(filter, tags)
  return byExtract.get(requireAny([...byExtract.keys()], choose))!
}

const requireAny = (texts: readonly string[], choose: Choose): string => {
  if (texts.length === 0) throw new Error('version list argument cannot be empty')
  return choose(texts)
}

const chooserOf = ({ semver, alphabetical, numerical }: TagPolicy): Choose => {
  if (semver) return highestVersion(semver.range)
  if (alphabetical) return inAlphabet(alphabetical.order)
  if (numerical) return byNumber(numerical.order)
  throw new InvalidPolicy('invalid policy: given ImagePolicyChoice object is invalid')
}

const highestVersion = (range: string): Choose => {
  const constraint = requireConstraint(range)
  return texts => {
    const [highest] = matchingTags(constraint, texts)
    if (!highest) throw new Error('unable to determine latest version from provided list')
    return highest.original
  }
}

const requireConstraint = (range: string) => {
  try {
    return parseConstraint(range)
  } catch (error) {
    if (!(error instanceof InvalidConstraint)) throw error
    throw new InvalidPolicy(`invalid policy: ${error.message}`)
  }
}

type Order = 'asc' | 'desc' | undefined

const inAlphabet =
  (order: Order): Choose =>
  texts => {
    const sorted = texts.toSorted(compareText)
    return order === 'desc' ? sorted[0]! : sorted.at(-1)!
  }

/** Of equal numbers the last one wins. */
const byNumber =
  (order: Order): Choose =>
  texts => {
    let latest = { text: '', value: Number.NaN }
    for (const text of texts) {
      const value = requireNumber(text)
      const isOlder = order === 'desc' ? value > latest.value : value < latest.value
      if (!isOlder) latest = { text, value }
    }
    return latest.text
  }

const requireNumber = (text: string): number => {
  const value = parseFloat64(text)
  // strconv.ParseFloat fails on what exceeds a float64, and only there.
  const isTooLarge = value !== undefined && Math.abs(value) === Number.POSITIVE_INFINITY && /\d/.test(text)
  if (value === undefined || isTooLarge) throw new Error(`failed to parse invalid numeric value '${text}'`)
  return value
}
