/** Templates of every kind, with what Go's text/template makes of them (`test/recorders/template.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { resourceSetFunctions } from '../../../../lib/engines/template/functions/resource-set.ts'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'
import { TemplateError } from '../../../../lib/engines/template/template-error.ts'
import { fromJson } from '../../../../lib/engines/template/values/from-json.ts'
import { recordings } from './go-recordings.ts'
import { data } from './go-templates.ts'

const inputs = fromJson(data)

/** The output, or the message where it fails; bytes that are no UTF-8 are U+FFFD, as in the recordings, which are JSON. */
const outcome = (template: string): string => {
  try {
    const functions = resourceSetFunctions({ now: () => 0, random: () => 0 })
    const parsed = parseTemplate('resourceset', template, { functions, delimiters: ['<<', '>>'], missingKey: 'error' })
    return parsed.execute(null, { calls: new Map([['inputs', () => inputs]]) }).toWellFormed()
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error))
    return error.message
  }
}

for (const { templates, file } of recordings) {
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>
  for (const [title, group] of Object.entries(templates))
    test(title, () => {
      for (const template of group) assert.equal(outcome(template), recorded[template], template)
    })
}
