import { resourceSetFunctions } from '../../lib/engines/template/functions/resource-set.ts'
import { parseTemplate } from '../../lib/engines/template/template.ts'
import { TemplateError } from '../../lib/engines/template/template-error.ts'
import { fromJson } from '../../lib/engines/template/values/from-json.ts'
import { sprig } from '../bed/sprig.ts'
import type { TemplateAnswer, TemplateOracle } from '../bed/template-oracle.ts'
import type { GeneratedTemplate } from './templates.ts'

const functionsOf = { resourceset: resourceSetFunctions({ now: () => 0, random: () => 0 }), sprig: sprig() }

export interface Tally {
  rendered: number
  failed: number
}

/** What differs between Go's answer and ours: undefined when both made the same text, or failed with the same message. */
export const differenceFromGo = async (
  oracle: TemplateOracle,
  generated: GeneratedTemplate,
  tally: Tally,
): Promise<string | undefined> => {
  const ours = answerOf(generated)
  if (ours.output !== undefined) tally.rendered++
  else tally.failed++
  if (ours.error && LIMIT.test(ours.error)) return undefined
  const [theirs, own] = [shown(await oracle.ask(generated)), shown(ours)]
  return theirs === own ? undefined : `${JSON.stringify(generated.template)}\n  Go:   ${theirs}\n  ours: ${own}`
}

/** What ours refuses to do. Go is not asked: it would do it, or run out of memory. */
const LIMIT =
  /, more than \d+$|exceeded \d+ steps$|(?:made|has) more than \d+ characters$|output exceeds \d+ characters$/

/** Go's answer is JSON, which has U+FFFD for every byte that is no UTF-8. */
const shown = ({ output, error }: TemplateAnswer): string =>
  output === undefined ? `error: ${settled(error!).toWellFormed()}` : JSON.stringify(output.toWellFormed())

/** Ours recurses less deep, and finds so elsewhere. */
const TOO_DEEP = 'exceeded maximum template depth'

/** Addresses differ from run to run. A range of ours forgets the type of its items: each is called an interface. */
const settled = (message: string): string =>
  message.includes(TOO_DEEP)
    ? TOO_DEEP
    : message
        .replace(/0xc[0-9a-f]{6,}/g, '0xADDRESS')
        .replace(/(can't evaluate field \w+ in type) \w+$/, '$1 interface {}')

const answerOf = ({ functions, template, data }: GeneratedTemplate): TemplateAnswer => {
  try {
    if (functions === 'resourceset') {
      const inputs = fromJson(data)
      const parsed = parseTemplate('resourceset', template, {
        functions: functionsOf.resourceset,
        delimiters: ['<<', '>>'],
        missingKey: 'error',
      })
      return { output: parsed.execute(null, { calls: new Map([['inputs', () => inputs]]) }) }
    }
    const parsed = parseTemplate('test', template, { functions: functionsOf.sprig, missingKey: 'zero' })
    return { output: parsed.execute(fromJson(data, { integers: 'float64' })) }
  } catch (error) {
    if (error instanceof TemplateError) return { error: error.message }
    return { error: `no TemplateError: ${(error as Error).stack}` }
  }
}
