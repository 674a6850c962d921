/** Exported functions say what goes in and out, in which shape and unit, what they throw, and where their rule is from. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exportedFunctions } from '../bed/exported-functions.ts'

const root = join(import.meta.dirname, '../..')

/** Rooms that are not done yet: how many functions may still have none. */
const open: Readonly<Record<string, number>> = {
  'lib/hub/runners/': 6,
  'lib/mcp/': 1,
  'lib/reconcile/resource-set/': 2,
  'lib/reconcile/runner/': 4,
}

const functions = globSync('{lib,functions,infra,events}/**/*.{ts,tsx}', { cwd: root }).flatMap(path =>
  exportedFunctions(path, readFileSync(join(root, path), 'utf8')).map(found => ({ ...found, path })),
)

test('an exported function has a docstring, unless it is a predicate of one expression', () => {
  assert.ok(functions.length > 3_500, 'the sources were not found')
  const missing = functions.filter(({ hasDocstring, isShortPredicate }) => !hasDocstring && !isShortPredicate)
  const byRoom = Map.groupBy(missing, ({ path }) => Object.keys(open).find(room => path.startsWith(room)) ?? '')
  const tooMany = [...byRoom].filter(([room, { length }]) => length > (open[room] ?? 0))
  const lines = tooMany.flatMap(([, found]) => found.map(({ path, line, name }) => `${path}:${line} ${name}`))
  assert.ok(lines.length === 0, `\n  ${lines.join('\n  ')}\n`)
})
