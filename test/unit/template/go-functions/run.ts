import assert from 'node:assert/strict'
import { parseConstraint } from '../../../../lib/semver/constraint.ts'
import { compareVersions, parseVersion, type Version } from '../../../../lib/semver/version.ts'
import { newKey } from '../../../../lib/template/certificates/private-key.ts'
import { helmFunctions } from '../../../../lib/template/functions/helm.ts'
import { resourceSetFunctions } from '../../../../lib/template/functions/resource-set.ts'
import { sprigFunctions } from '../../../../lib/template/functions/sprig.ts'
import type { Versions } from '../../../../lib/template/functions/versions.ts'
import { parseTemplate } from '../../../../lib/template/template.ts'
import { TemplateError } from '../../../../lib/template/template-error.ts'
import { type Family, templateOf } from './family.ts'

const versions: Versions<Version> = {
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
const entropy = { bytes: (count: number) => new Uint8Array(count), newKey }

export const functionsOf = {
  resourceset: resourceSetFunctions({ now: () => 0, random: () => 0 }),
  sprig: new Map([
    ...sprigFunctions({ now: () => 0, ...entropy, versions }),
    ['toToml', helmFunctions.get('toToml')!] as const,
  ]),
}

/** What comes of a call, or the message where it fails: as the recorder asks Go. */
export const outcome = (family: Family, call: string): string => {
  const isSprig = family.functions === 'sprig'
  try {
    return parseTemplate(isSprig ? 'test' : 'resourceset', templateOf(family, call), {
      functions: functionsOf[family.functions],
      delimiters: isSprig ? ['{{', '}}'] : ['<<', '>>'],
      missingKey: isSprig ? 'zero' : 'error',
    }).execute(isSprig ? new Map() : null)
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error))
    return error.message
  }
}
