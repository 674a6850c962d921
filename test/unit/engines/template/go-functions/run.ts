import assert from 'node:assert/strict'
import { resourceSetFunctions } from '../../../../../lib/engines/template/functions/resource-set.ts'
import { parseTemplate } from '../../../../../lib/engines/template/template.ts'
import { TemplateError } from '../../../../../lib/engines/template/template-error.ts'
import type { FunctionMap } from '../../../../../lib/engines/template/values/value.ts'
import { sprig } from '../../../../bed/sprig.ts'
import { type Family, templateOf } from './family.ts'

/** Made anew for each test, so that a change of what makes them is held only against the tests that use them. */
export const functionsOf = (of: Family['functions']): FunctionMap => {
  switch (of) {
    case 'builtins':
      return new Map()
    case 'resourceset':
      return resourceSetFunctions({ now: () => 0, random: () => 0 })
    case 'sprig':
      return sprig()
  }
}

/** What comes of a call, or the message where it fails, as the recorder asks Go. Bytes that are no UTF-8 are U+FFFD, as JSON records them. */
export const outcome = (family: Family, call: string, functions = functionsOf(family.functions)): string => {
  const isResourceSet = family.functions === 'resourceset'
  try {
    return parseTemplate(isResourceSet ? 'resourceset' : 'test', templateOf(family, call), {
      functions,
      delimiters: isResourceSet ? ['<<', '>>'] : ['{{', '}}'],
      missingKey: isResourceSet ? 'error' : 'zero',
    })
      .execute(isResourceSet ? null : new Map())
      .toWellFormed()
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error))
    return error.message
  }
}
