/** Texts at random, with what the real YAML libraries make of them (`test/recorders/yaml.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { answerTo } from './answer-to.ts'
import { answerDigest, oddTexts } from './odd-texts.ts'

const recorded = JSON.parse(readFileSync(new URL('odd-texts.recorded.json', import.meta.url), 'utf8')) as string[]
const texts = oddTexts()
const each = 50

test('all texts at random are recorded', () => {
  assert.equal(recorded.length, texts.length)
})

for (let from = 0; from < texts.length; from += each)
  test(`texts at random mean what they mean to the originals, ${from + 1} to ${from + each}`, () => {
    for (const [at, text] of texts.slice(from, from + each).entries())
      assert.equal(answerDigest(answerTo(text)), recorded[from + at], JSON.stringify(text))
  })
