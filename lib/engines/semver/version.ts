import SemVer from 'semver/classes/semver.js'

/** A version as Masterminds/semver reads it: SemVer 2 with an optional `v`, leading zeros, and missing minor and patch. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** `''` for a release. */
  readonly prerelease: string
  /** The original text: the name of the tag. */
  readonly original: string
  readonly parsed: SemVer
}

const MAX_BYTES = 256

class InvalidVersion extends Error {
  constructor(
    message:
      | `version string is too long (max ${typeof MAX_BYTES} bytes)`
      | 'invalid semantic version'
      | 'version segment starts with 0'
      | `error parsing version segment: strconv.ParseUint: parsing "${string}": value out of range`,
  ) {
    super(message)
    this.name = 'InvalidVersion'
  }
}

const suffix = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const loose = new RegExp(`^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${suffix}))?(?:\\+(${suffix}))?$`)
const withoutLeadingZeros = (digits: string): string => digits.replace(/^0+(?=[0-9])/, '')

/**
 * Parses a version; fails with InvalidVersion and Masterminds' message. Numbers above 2^53-1 are invalid too, though Masterminds
 * accepts up to 64 bits.
 */
export const parseVersion = (text: string): Version => {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new InvalidVersion(`version string is too long (max ${MAX_BYTES} bytes)`)
  const match = loose.exec(text)
  if (!match) throw new InvalidVersion('invalid semantic version')
  const [, major, minor = '0', patch = '0', prerelease = '', build] = match
  const numbers = [major!, minor, patch]
  for (const digits of numbers)
    if (BigInt(digits) >= 2n ** 64n)
      throw new InvalidVersion(
        `error parsing version segment: strconv.ParseUint: parsing "${digits}": value out of range`,
      )
  if (prerelease.split('.').some(part => /^0[0-9]+$/.test(part))) {
    throw new InvalidVersion('version segment starts with 0')
  }
  const core = numbers.map(withoutLeadingZeros).join('.')
  try {
    const parsed = new SemVer(`${core}${prerelease && `-${prerelease}`}${build ? `+${build}` : ''}`)
    return { major: parsed.major, minor: parsed.minor, patch: parsed.patch, prerelease, original: text, parsed }
  } catch {
    throw new InvalidVersion('invalid semantic version')
  }
}

/** SemVer 2 precedence: negative if `a` is lower; ignores build metadata. */
export const compareVersions = (a: Version, b: Version): number => a.parsed.compare(b.parsed)
