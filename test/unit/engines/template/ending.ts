import assert from 'node:assert/strict'
import { parseTemplate, type RunOptions } from '../../../../lib/engines/template/template.ts'
import { TemplateError } from '../../../../lib/engines/template/template-error.ts'
import type { FunctionMap, Value } from '../../../../lib/engines/template/values/value.ts'

/** How templates end that are run with these functions: why they failed, or how much they made. */
export const endingWith =
  (functions: () => FunctionMap, data: Value) =>
  (text: string, options: RunOptions = {}): string => {
    try {
      return `made ${parseTemplate('t', text, { functions: functions() }).execute(data, options).length} characters`
    } catch (error) {
      assert.ok(error instanceof TemplateError, String(error))
      return error.message.replace(/^.*>: /s, '')
    }
  }
