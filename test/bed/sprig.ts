import { parseConstraint } from '../../lib/engines/semver/constraint.ts'
import { compareVersions, parseVersion, type Version } from '../../lib/engines/semver/version.ts'
import { newKey } from '../../lib/engines/template/certificates/private-key.ts'
import type { Certifier } from '../../lib/engines/template/functions/certificates.ts'
import { helmFunctions } from '../../lib/engines/template/functions/helm.ts'
import { sprigFunctions } from '../../lib/engines/template/functions/sprig.ts'
import type { Versions } from '../../lib/engines/template/functions/versions.ts'
import type { FunctionMap } from '../../lib/engines/template/values/value.ts'

/** The semver that sprig's functions compare with: ours. */
export const versions: Versions<Version> = {
  parse: parseVersion,
  compare: compareVersions,
  matcher: constraint => {
    const parsed = parseConstraint(constraint)
    return version => parsed.matches(version)
  },
  parts: ({ parsed, original, prerelease }) => ({
    ...{ major: parsed.major, minor: parsed.minor, patch: parsed.patch },
    ...{ prerelease, original, metadata: parsed.build.join('.') },
  }),
}

interface World extends Certifier {
  readonly versions: Versions<Version>
}

const still: World = { now: () => 0, bytes: count => new Uint8Array(count), newKey, versions }

/** sprig's functions with a fixed clock and fixed random bytes, and Helm's toToml, as in the oracle. */
export const sprig = (world: Partial<World> = {}): FunctionMap =>
  new Map([...sprigFunctions({ ...still, ...world }), ['toToml', helmFunctions.get('toToml')!] as const])
