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
import type { FunctionMap } from '../../../../lib/template/values/value.ts'
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

/** Made anew for each test, so that a change of what makes them is held only against the tests that use them. */
export const functionsOf = (of: Family['functions']): FunctionMap => {
  switch (of) {
    case 'builtins':
      return new Map()
    case 'resourceset':
      return resourceSetFunctions({ now: () => 0, random: () => 0 })
    case 'sprig': {
      const toToml = ['toToml', helmFunctions.get('toToml')!] as const
      return new Map([...sprigFunctions({ now: () => 0, ...entropy, versions }), toToml])
    }
  }
}

/** What comes of a call, or the message where it fails: as the recorder asks Go. */
export const outcome = (family: Family, call: string, functions = functionsOf(family.functions)): string => {
  const isResourceSet = family.functions === 'resourceset'
  try {
    return parseTemplate(isResourceSet ? 'resourceset' : 'test', templateOf(family, call), {
      functions,
      delimiters: isResourceSet ? ['<<', '>>'] : ['{{', '}}'],
      missingKey: isResourceSet ? 'error' : 'zero',
    }).execute(isResourceSet ? null : new Map())
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error))
    return error.message
  }
}
