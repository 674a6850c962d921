import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { documentedKinds } from '../../docs/generators/kinds.ts'
import { annotations } from '../../docs/reference/annotations.ts'
import { conditions } from '../../docs/reference/conditions.ts'
import { fieldRows } from '../../docs/reference/field-rows.ts'
import { markdownTable } from '../../docs/reference/markdown-table.ts'
import { onlyOn, reasons } from '../../docs/reference/reasons.ts'
import { wordsOfKinds } from '../../docs/reference/words-of-kinds.ts'

const root = join(import.meta.dirname, '../../..')
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const lib = globSync('lib/**/*.ts', { cwd: root }).map(textOf).join('\n')
const reconcile = globSync('lib/reconcile/**/*.ts', { cwd: root }).map(textOf).join('\n')
const wordsOf = wordsOfKinds(root)

test('every reason that a reconciler sets is described, and every described reason is set', () => {
  const set = [...reconcile.matchAll(/\breason(?::| =) '([A-Z]\w+)'/g)].map(([, reason = '']) => reason)
  assert.ok(set.length > 50)
  const undescribed = [...new Set(set)].filter(reason => !Object.hasOwn(reasons, reason) && !ofOtherObjects.has(reason))
  assert.deepEqual(undescribed, [])
  const words = new Set(documentedKinds.flatMap(({ kind }) => [...wordsOf(kind)]))
  const declared = (reason: string) => lib.includes(`'${reason}'`) && (onlyOn[reason] || isOfTheLoop(reason))
  assert.deepEqual(
    Object.keys(reasons).filter(reason => !words.has(reason) && !declared(reason)),
    [],
  )
})

/** Reasons of API errors. */
const ofOtherObjects = new Set(['Forbidden'])
/** Set by lib/reconcile/runtime, for all kinds. */
const isOfTheLoop = (reason: string) => ['Progressing', 'ProgressingWithRetry'].includes(reason)

test('every described condition is set by the code', () => {
  const missing = conditions.filter(({ type }) => !new RegExp(`'${type}'|\\b${type}: `).test(lib))
  assert.deepEqual(missing, [])
})

test('every annotation of Keelson is described where users meet it, and every described one is in the code', () => {
  const inCode = [...lib.matchAll(/'((?:[a-z]+\.)?keelson\.dev\/[a-z][\w-]*)'/g)].map(([, name = '']) => name)
  assert.ok(inCode.length > 30)
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].map(textOf).join('\n')
  assert.deepEqual([...new Set(inCode)].filter(name => !pages.includes(name) && !internal.has(name)).sort(), [])
  const isInCode = (name: string) => lib.includes(name) || lib.includes(`'${name.slice(name.indexOf('/') + 1)}'`)
  assert.deepEqual(
    annotations.filter(({ name }) => !isInCode(name)),
    [],
  )
})

/** What the hub writes for itself: it means nothing to users. */
const internal = new Set(['fleet.keelson.dev/revision', 'keelson.dev/built-in', 'keelson.dev/eks-scope'])

test('annotations and conditions name kinds that exist', () => {
  const known = documentedKinds.map(({ kind }) => kind)
  const named = [...annotations, ...conditions].flatMap(({ on = [] }) => on).concat(Object.values(onlyOn).flat())
  assert.deepEqual(
    [...new Set(named)].filter(kind => !known.includes(kind)),
    [],
  )
})

test('fields are listed with their path, type, constraints and default, depth first', () => {
  const rows = fieldRows('spec', {
    type: 'object',
    required: ['mode'],
    properties: {
      mode: { type: 'string', description: 'How.', enum: ['a', 'b'], default: 'a' },
      items: {
        type: 'array',
        maxItems: 3,
        items: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } },
      },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
    },
  })
  assert.deepEqual(rows, [
    ['`spec.mode`', 'string', '**Required.** How. One of `a`, `b`. Default: `"a"`.'],
    ['`spec.items`', '[]object', 'At most 3 items.'],
    ['`spec.items[].n`', 'integer', 'At least 1.'],
    ['`spec.labels`', 'map of string', ''],
  ])
})

test('cells of tables stay in one line and in one cell', () => {
  assert.equal(markdownTable(['a'], [['x|y\n  z']]), '| a |\n| --- |\n| x\\|y z |')
})
