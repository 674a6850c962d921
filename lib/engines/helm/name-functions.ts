import { parseConstraint } from '../semver/constraint.ts'
import { compareVersions, parseVersion, type Version } from '../semver/version.ts'
import type { Certifier } from '../template/functions/certificates.ts'
import { sprigFunctions } from '../template/functions/sprig.ts'
import type { Versions } from '../template/functions/versions.ts'
import type { FunctionMap } from '../template/values/value.ts'

const versions: Versions<Version> = {
  parse: parseVersion,
  compare: compareVersions,
  matcher: range => {
    const constraint = parseConstraint(range)
    return version => constraint.matches(version)
  },
  parts: ({ parsed, original, prerelease }) => ({
    ...{ major: parsed.major, minor: parsed.minor, patch: parsed.patch },
    ...{ prerelease, original, metadata: parsed.build.join('.') },
  }),
}

/** The functions of `--name-template`: sprig's, without Helm's own. */
export const nameFunctions = (certifier: Certifier): FunctionMap => sprigFunctions({ ...certifier, versions })
