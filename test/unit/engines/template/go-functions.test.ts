/** Calls of every function, with what Go's text/template, sprig and slim-sprig make of them (`test/recorders/template-functions.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { families } from './go-functions/families.ts'
import { functionsOf, outcome } from './go-functions/run.ts'

/** The function, and of printf the verb: a test for each, so that a change of one is only held against its own calls. */
const calledBy = (call: string): string =>
  call.startsWith('printf "%') ? `printf %${/[a-z]/i.exec(call.slice(9))?.[0] ?? ''}` : /[\w$]+/.exec(call)![0]

for (const [name, family] of Object.entries(families)) {
  const path = new URL(`go-functions/${name}.recorded.json`, import.meta.url)
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, string>>
  for (const [title, all] of Object.entries(family.calls))
    for (const [called, calls] of Map.groupBy(all, calledBy))
      test(`${name}: ${title}: ${called}`, () => {
        const functions = functionsOf(family.functions)
        for (const call of calls) assert.equal(outcome(family, call, functions), recorded[call], call)
      })
}
