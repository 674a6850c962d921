/** Expressions of every kind, with what cel-go makes of them as Flux uses it (`test/recorders/cel.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { expression } from '../../../../lib/engines/cel/expression.ts'
import { data } from './expressions/data.ts'
import { expressions } from './expressions/groups.ts'
import { outcomeOf } from './outcome.ts'
import { valueText } from './value-text.ts'

for (const [kind, groups] of Object.entries(expressions)) {
  const file = new URL(`expressions/${kind}.recorded.json`, import.meta.url)
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>
  for (const [title, group] of Object.entries(groups))
    test(title, () => {
      for (const text of group)
        assert.equal(
          outcomeOf(text, () => valueText(expression(text).evaluate(data))),
          recorded[text],
          text,
        )
    })
}
