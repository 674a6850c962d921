import { type Constraint, InvalidConstraint, parseConstraint } from '../../engines/semver/constraint.ts'
import { compareVersions, parseVersion, type Version } from '../../engines/semver/version.ts'
import { ChartNotFound } from './chart-repository.ts'
import type { ChartIndex, ChartVersion } from './index-file.ts'

interface Candidate {
  readonly version: ChartVersion
  readonly parsed: Version
}

/** The highest version of a chart in a range, from an index. Fails with ChartNotFound, in Helm's wording. */
export const pickVersion = ({ entries }: ChartIndex, name: string, range: string): ChartVersion => {
  const versions = entries.get(name)
  if (!versions) throw new ChartNotFound('no chart name found')
  if (versions.length === 0) throw new ChartNotFound('no chart version found')
  const exact = range !== '' && versions.find(({ version }) => version === range)
  if (exact) return exact
  const constraint = constraintOf(range)
  let best: Candidate | undefined
  for (const version of versions) {
    const parsed = fullVersion(version.version)
    if (!parsed) continue
    // Versions are sorted. If they differ only in build metadata, the newest one wins.
    if (best && compareVersions(parsed, best.parsed) < 0) break
    if (!constraint.matches(parsed)) continue
    if (!best || Date.parse(version.created) > Date.parse(best.version.created)) best = { version, parsed }
  }
  if (!best) throw new ChartNotFound(`no '${name}' chart with version matching '${range}' found`)
  return best.version
}

/** The highest version in a range; undefined if none matches. Fails with ChartNotFound if the range is invalid. */
export const pickTag = (tags: readonly string[], range: string): string | undefined => {
  if (range !== '' && tags.includes(range)) return range
  const constraint = constraintOf(range)
  return tags
    .flatMap(tag => fullVersion(tag) ?? [])
    .filter(constraint.matches)
    .sort((a, b) => compareVersions(b, a))[0]?.original
}

const constraintOf = (range: string): Constraint => {
  try {
    return parseConstraint(range === '' ? '*' : range)
  } catch (error) {
    if (!(error instanceof InvalidConstraint)) throw error
    throw new ChartNotFound(error.message, error)
  }
}

/** A version with three parts; undefined for anything else. */
export const fullVersion = (text: string): Version | undefined => {
  if (text.split('.', 3).length !== 3) return undefined
  try {
    return parseVersion(text)
  } catch {
    return undefined
  }
}
