import type { Constraint } from './constraint.ts'
import { compareVersions, parseVersion, type Version } from './version.ts'

/**
 * The tags that are versions within a range, highest first, as fluxcd/pkg/version sorts them: a tag needs three parts (`1.2` is not a
 * version here), and tags of equal precedence (build metadata) keep their order.
 */
export const matchingTags = (constraint: Constraint, tags: Iterable<string>): readonly Version[] =>
  [...tags]
    .flatMap(fullVersion)
    .filter(version => constraint.matches(version))
    .sort((a, b) => compareVersions(b, a))

/** The tags of highest precedence: several only if they differ in build metadata or spelling. */
export const highestTags = (constraint: Constraint, tags: Iterable<string>): readonly string[] => {
  const versions = matchingTags(constraint, tags)
  return versions.filter(version => compareVersions(version, versions[0]!) === 0).map(({ original }) => original)
}

const fullVersion = (tag: string): readonly Version[] => {
  if (tag.split('.', 3).length !== 3) return []
  try {
    return [parseVersion(tag)]
  } catch {
    return []
  }
}
