/** Texts of every kind, with what the real YAML libraries make of them (`test/recorders/yaml.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { goJson } from '../../../../lib/engines/yaml/go-json.ts'
import { marshalJson } from '../../../../lib/engines/yaml/marshal-json.ts'
import { parseWithComments } from '../../../../lib/engines/yaml/parse-with-comments.ts'
import type { YamlAnswer } from '../../../bed/yaml-oracle.ts'
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

// Not so: comments of the document itself, which are not part of its tree; those of a key written with `?`; and an anchored empty
// key, which is written as something else.
const changedByWriting = new Set([
  'm0: !t # l0\n- |+ #l1\n  text\n\n# c2\n# c3\n',
  '- &x # l0\n  ? p0 # l1\n# c2\n  : |-\n    text\n- !t e\n# c3\n- []\n',
  '&x : a\nb: {*x : a}\n',
])

test('a tree is the same data as what kyaml reads from what it has written', () => {
  for (const [text, { kyaml, fault }] of Object.entries(recorded)) {
    if (kyaml === undefined || fault !== undefined || changedByWriting.has(text)) continue
    assert.equal(goJson(marshalJson(parseWithComments(text)!.root)), kyaml, JSON.stringify(text))
  }
})
