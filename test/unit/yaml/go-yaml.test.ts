/** Texts of every kind, with what the real YAML libraries make of them (`test/recorders/yaml.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { YamlAnswer } from '../../bed/yaml-oracle.ts'
import { answerTo } from './answer-to.ts'
import { texts } from './go-yaml-texts.ts'
import { texts as rareData } from './rare-data.ts'
import { texts as rareTexts } from './rare-texts.ts'

const answersIn = (name: string) =>
  JSON.parse(readFileSync(new URL(`${name}.recorded.json`, import.meta.url), 'utf8')) as Record<string, YamlAnswer>
const recorded = { ...answersIn('go-yaml'), ...answersIn('rare-texts'), ...answersIn('rare-data') }

for (const [title, group] of Object.entries({ ...texts, ...rareTexts, ...rareData }))
  test(title, () => {
    for (const text of group) {
      const answer = recorded[text]
      assert.ok(answer, `no answer is recorded for ${JSON.stringify(text)}`)
      assert.deepEqual(answerTo(text), answer, JSON.stringify(text))
    }
  })
