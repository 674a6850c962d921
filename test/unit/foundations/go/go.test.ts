/** Numbers, texts, characters and durations, with what Go makes of them (`test/recorders/go.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { shortestSingle } from '../../../../lib/foundations/go/decimal.ts'
import { durationText, nearestDuration, parseDuration } from '../../../../lib/foundations/go/duration.ts'
import { binaryFloat, formatFloat, hexadecimalFloat } from '../../../../lib/foundations/go/format-float.ts'
import { parseBool } from '../../../../lib/foundations/go/parse-bool.ts'
import { parseFloat64 } from '../../../../lib/foundations/go/parse-float.ts'
import {
  describeCharacter,
  isCharacter,
  quote,
  quoteCharacter,
  quoteToAscii,
} from '../../../../lib/foundations/go/quote.ts'
import { trimSpace, trimSpaceLeft } from '../../../../lib/foundations/go/white-space.ts'
import type { FloatQuestion } from '../../../bed/go-oracle.ts'
import { durations, floats, parsed, runes, singles, texts } from './questions.ts'

interface Recorded {
  readonly floats: readonly string[]
  readonly singles: readonly string[]
  readonly texts: readonly (readonly string[])[]
  readonly runes: readonly (readonly string[])[]
  readonly durations: readonly (readonly string[])[]
  readonly parsed: readonly (readonly string[])[]
}

const recorded = JSON.parse(readFileSync(new URL('go.recorded.json', import.meta.url), 'utf8')) as Recorded

const numberOf = ({ float }: FloatQuestion): number => Number(float.replace('Inf', 'Infinity'))

const written = ({ verb, precision, ...question }: FloatQuestion): string => {
  if (verb === 'b') return binaryFloat(numberOf(question as FloatQuestion))
  if (verb === 'x') return hexadecimalFloat(numberOf(question as FloatQuestion), precision)
  return formatFloat(numberOf(question as FloatQuestion), verb, precision)
}

for (const verb of ['b', 'e', 'f', 'g', 'x'])
  test(`floats are written with ${verb} as strconv.FormatFloat does`, () => {
    for (const [at, question] of floats.entries())
      if (question.verb === verb)
        assert.equal(written(question), recorded.floats[at], `${question.float} with ${question.precision}`)
  })

test('a float of 32 bits has the digits that distinguish it from its neighbours', () => {
  for (const [at, question] of singles.entries())
    assert.equal(formatFloat(shortestSingle(numberOf(question)), 'g', -1), recorded.singles[at], question.float)
})

test('texts are quoted and trimmed as strconv and strings do', () => {
  for (const [at, { text }] of texts.entries())
    assert.deepEqual(
      [quote(text), quoteToAscii(text), trimSpace(text), trimSpaceLeft(text)].map(shown => shown.toWellFormed()),
      recorded.texts[at],
      JSON.stringify(text),
    )
})

test('characters are quoted and named as strconv and fmt do', () => {
  for (const [at, { rune }] of runes.entries()) {
    const [quoted, ascii, name] = recorded.runes[at]!
    assert.deepEqual([quoteCharacter(BigInt(rune)), quoteCharacter(BigInt(rune), true)], [quoted, ascii], `${rune}`)
    if (isCharacter(BigInt(rune))) assert.equal(describeCharacter(String.fromCodePoint(rune)), name)
  }
})

test('of a text that ended there is no character to name', () => {
  assert.equal(describeCharacter(''), 'U+FFFFFFFFFFFFFFFF')
})

test('white space in a text is walked through once', () => {
  const text = `a${' '.repeat(200_000)}b`
  assert.equal(trimSpace(text), text)
})

test('durations are read and written as by time.ParseDuration and String, and refused with its messages', () => {
  const answered = (duration: string): readonly string[] => {
    try {
      const nanoseconds = parseDuration(duration)
      return [String(nanoseconds), durationText(nanoseconds)]
    } catch (error) {
      return [(error as Error).message]
    }
  }
  for (const [at, { duration }] of durations.entries())
    assert.deepEqual(answered(duration), recorded.durations[at], duration)
})

test('a duration is as long as 64 bits can say, at most', () => {
  const spans = [0n, -(2n ** 63n), -(2n ** 63n) - 1n, 2n ** 63n - 1n, 2n ** 63n]
  assert.deepEqual(spans.map(nearestDuration), [0n, -(2n ** 63n), -(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n - 1n])
})

test('texts are numbers and booleans where strconv.ParseFloat and ParseBool read them', () => {
  const shown = (number: number | undefined): string => (number === undefined ? '' : formatFloat(number, 'g', -1))
  for (const [at, { parse }] of parsed.entries())
    assert.deepEqual([shown(parseFloat64(parse)), String(parseBool(parse) ?? '')], recorded.parsed[at], parse)
})
