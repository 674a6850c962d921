import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseConstraint } from '../../../lib/engines/semver/constraint.ts'
import { resourceSetFunctions } from '../../../lib/engines/template/functions/resource-set.ts'
import { slimSprigFunctions } from '../../../lib/engines/template/functions/slim-sprig.ts'
import { parseTemplate } from '../../../lib/engines/template/template.ts'
import { fromJson } from '../../../lib/engines/template/values/from-json.ts'
import { Struct, type Value, type ValueMap } from '../../../lib/engines/template/values/value.ts'
import { sprig, versions } from '../../bed/sprig.ts'
import { jsonLines } from '../json-lines.ts'
import { type CaseResult, type ConformanceSuite, difference } from '../suite.ts'

/** Recorded from Go's text/template with slim-sprig; the modes are told in the corpus's README. */
interface Case {
  readonly id: string
  readonly mode: 'resourceset' | 'text' | 'text-zero'
  readonly data: string
  readonly template: string
  readonly output?: string
  readonly error?: string
}
/** Taken from the tests of slim-sprig and sprig. */
interface UpstreamCase {
  readonly test: string
  readonly data: unknown
  readonly template: string
  readonly output?: string
  readonly error?: string
}

const ambient = { now: () => 0, random: () => 0 }
const resourceSet = () => resourceSetFunctions(ambient)
/** sprig's own tests were recorded with an older Masterminds/semver, which had no quotes in this message. */
const asRecorded = <T>(attempt: () => T): T => {
  try {
    return attempt()
  } catch (error) {
    throw new Error((error as Error).message.replace(/(?<=improper constraint: )"(.*)"$/, '$1'))
  }
}
const matcher: typeof versions.matcher = constraint => {
  const parsed = asRecorded(() => parseConstraint(constraint))
  return version => parsed.matches(version)
}
const upstream = {
  'upstream-slim-sprig': () => slimSprigFunctions(ambient),
  'upstream-sprig': () => sprig({ versions: { ...versions, matcher } }),
}

export const suite: ConformanceSuite = {
  folder: 'gotemplate',
  *cases(directory) {
    const casesIn = <T>(file: string): T[] =>
      existsSync(join(directory, file)) ? jsonLines(join(directory, file)) : []
    const data = JSON.parse(quotedIntegers(readFileSync(join(directory, 'data.json'), 'utf8')), bigIntegers)
    for (const each of casesIn<Case>('cases.jsonl')) yield () => result(each, fromJson(data[each.data]))
    for (const file of ['upstream-slim-sprig', 'upstream-sprig'] as const)
      for (const each of casesIn<UpstreamCase>(`${file}.jsonl`)) yield () => upstreamResult(each, file)
  },
}

/** The data holds an integer beyond 2^53. */
const quotedIntegers = (json: string): string => json.replace(/(?<=[:,[]\s*)(\d{16,})(?=\s*[,}\]])/g, '"integer:$1"')
const bigIntegers = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('integer:') ? BigInt(value.slice(8)) : value

const result = ({ id, mode, template, output, error }: Case, data: Value): CaseResult => {
  const actual = outcome(() => {
    if (mode === 'resourceset') {
      const parsed = parseTemplate('resourceset', template, {
        functions: resourceSet(),
        delimiters: ['<<', '>>'],
        missingKey: 'error',
      })
      return parsed.execute(null, { calls: new Map([['inputs', () => data]]) })
    }
    const policy = mode === 'text-zero' ? { missingKey: 'zero' as const } : {}
    return parseTemplate('resourceset', template, { functions: resourceSet(), ...policy }).execute(data)
  })
  return { name: `${id} ${JSON.stringify(template)}`, problem: difference(actual, output ?? error ?? '') }
}

const upstreamResult = (
  { test, data, template, output, error }: UpstreamCase,
  file: keyof typeof upstream,
): CaseResult => {
  const actual = outcome(() =>
    parseTemplate('test', template, { functions: upstream[file]() }).execute(goTyped(test, data)),
  )
  return { name: `${file} ${test} ${template}`, problem: difference(actual, output ?? error ?? '') }
}

/** The tests of typeOf and its like pass a struct or a pointer to one, which the corpus shows as an object. */
const goTyped = (test: string, data: unknown): Value => {
  const value = fromJson(data, { integers: 'float64' })
  return /^Test(Type|Kind)/.test(test) && value instanceof Map
    ? new Struct(test === 'TestKindOf' ? 'sprig.fixtureTO' : '*sprig.fixtureTO', value as ValueMap)
    : value
}

const outcome = (attempt: () => string): string => {
  try {
    return attempt()
  } catch (error) {
    return (error as Error).message
  }
}
