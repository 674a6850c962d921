import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonDifference } from '../../../../lib/clusters/helm-release/json-difference.ts'
import { jsonPatch } from '../../../../lib/engines/merge/json-patch.ts'

const cases: readonly (readonly [string, unknown, unknown, readonly string[]])[] = [
  ['nothing', { a: { b: 1 } }, { a: { b: 1 } }, []],
  ['fields', { a: 1, b: 2, c: { d: 'text' } }, { a: 2, c: { d: 'text' }, e: 3 }, ['replace /a', 'remove /b', 'add /e']],
  ['fields with odd names', { 'a/b': 1, 'c~d': 1 }, { 'a/b': 2, 'c~d': 2 }, ['replace /a~1b', 'replace /c~0d']],
  ['items at the end', { list: [1, 2, 3, 'a long text that stays'] }, { list: [1] }, ['replace /list']],
  [
    'an item inside',
    { list: ['a long text that stays', 1] },
    { list: ['a long text that stays', 2] },
    ['replace /list/1'],
  ],
  [
    'more items',
    { list: ['a long text that stays as it is'] },
    { list: ['a long text that stays as it is', 'b'] },
    ['add /list/-'],
  ],
  ['other types', { a: [] }, { a: {} }, ['replace /a']],
]

for (const [what, before, after, told] of cases)
  test(`HR-086 a difference in ${what} is reported in few operations that make the one to the other`, () => {
    const operations = jsonDifference(before, after)
    assert.deepEqual(
      operations.map(({ op, path }) => `${op} ${path}`),
      told,
    )
    assert.deepEqual(jsonPatch(before, operations), after)
  })
