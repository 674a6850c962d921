/** Texts of every kind, with what the real YAML libraries make of them (`test/recorders/yaml.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { goJson } from '../../../lib/yaml/go-json.ts'
import { parseNodes } from '../../../lib/yaml/parse.ts'
import { toJson } from '../../../lib/yaml/to-json.ts'
import type { YamlAnswer } from '../../bed/yaml-oracle.ts'
import { answerTo } from './answer-to.ts'
import { texts } from './go-yaml-texts.ts'
import { texts as rareData } from './rare-data.ts'
import { texts as rareTexts } from './rare-texts.ts'

const answersIn = (name: string) =>
  JSON.parse(readFileSync(new URL(`${name}.recorded.json`, import.meta.url), 'utf8')) as Record<string, YamlAnswer>
const recorded = { ...answersIn('go-yaml'), ...answersIn('rare-texts'), ...answersIn('rare-data') }

// kyaml reads data from what it has written: of these that is something else than what was read.
const changedByWriting = new Set([
  'a: |+\n  b\n\n\nc: >+\n  d\n\n\n',
  'a: >\n  b\n   c\n  d\n',
  'a: >\n  b\n\n   c\n\n  d\n',
  'm0: !t # l0\n- |+ #l1\n  text\n\n# c2\n# c3\n',
  '- &x # l0\n  ? p0 # l1\n# c2\n  : |-\n    text\n- !t e\n# c3\n- []\n',
  '&x : a\nb: {*x : a}\n',
])

for (const [title, group] of Object.entries({ ...texts, ...rareTexts, ...rareData }))
  test(title, () => {
    for (const text of group) {
      const answer = recorded[text]
      assert.ok(answer, `no answer is recorded for ${JSON.stringify(text)}`)
      assert.deepEqual(answerTo(text), answer, JSON.stringify(text))
    }
  })

test('documents are the same data for kyaml when they are not written first', () => {
  for (const [text, { kyaml, fault }] of Object.entries(recorded)) {
    if (kyaml === undefined || fault !== undefined || changedByWriting.has(text)) continue
    assert.equal(goJson(toJson(parseNodes(text)[0]!, { schema: 'kyaml' })), kyaml, JSON.stringify(text))
  }
})
