import { sprig } from '../bed/sprig.ts'
import type { GeneratedTemplate } from './templates.ts'

// Every function with arguments of every type, where charts rarely call it and generated templates seldom try: nil maps, values that are absent, empty lists, numbers for text.

const data = { nothing: null, map: { a: 1, b: { c: 'x' } }, list: [1, 'b', null, { a: 1 }], text: 'abc' }

/** Absent and null values come first: Go has several kinds of them. */
const values = [
  '(index . "absent")',
  '.absent',
  'nil',
  '.nothing',
  '.map',
  '(index .map "absent")',
  '(dict)',
  '.list',
  '(list)',
  '(tuple 1 "a")',
  '(splitList "," "a,b")',
  '.text',
  '""',
  '0',
  '2',
  '1.5',
  'true',
]

const goFunctions = ['and', 'or', 'not', 'len', 'index', 'slice', 'print', 'printf', 'println', 'urlquery', 'call']
const comparisons = ['eq', 'ne', 'lt', 'le', 'gt', 'ge']

/** What they return differs from call to call, or is about the machine. */
const byChance =
  /^(rand|gen|uuid|now|htpasswd|bcrypt|env|expandenv|encryptAES|derivePassword|getHostByName|ago|date|htmlDate|shuffle|buildCustom)/

/** Where ours differs on purpose: a text that is too short to be decrypted is refused, where Go panics; keys are sorted, and values by their keys, where Go has no order. */
const differs = /^(decryptAES|keys|values)$/

/** Calls of all functions with up to `most` arguments (0 to 3): some 150 with none, 60,000 with two. */
export function* functionCalls(most: number): Generator<GeneratedTemplate> {
  const names = [...sprig().keys(), ...goFunctions, ...comparisons]
  for (const name of new Set(names.filter(name => !byChance.test(name) && !differs.test(name))))
    for (const call of callsWith(name, most))
      for (const shown of ['toJson', 'printf "%T %v"'])
        yield { functions: 'sprig', template: `{{ ${call} | ${shown} }}`, data }
}

function* callsWith(call: string, most: number): Generator<string> {
  yield call
  if (most > 0) for (const value of values) yield* callsWith(`${call} ${value}`, most - 1)
}
