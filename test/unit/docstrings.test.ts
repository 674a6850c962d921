/** Exported functions say what goes in and out, in which shape and unit, what they throw, and where their rule is from. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exportedFunctions } from '../bed/exported-functions.ts'

const root = join(import.meta.dirname, '../..')

const functions = globSync('{lib,functions,infra,events}/**/*.{ts,tsx}', { cwd: root }).flatMap(path =>
  exportedFunctions(path, readFileSync(join(root, path), 'utf8')).map(found => ({ ...found, path })),
)

test('an exported function has a docstring, unless it is a predicate of one expression', () => {
  assert.ok(functions.length > 3_500, 'the sources were not found')
  const missing = functions.filter(({ hasDocstring, isShortPredicate }) => !hasDocstring && !isShortPredicate)
  const lines = missing.map(({ path, line, name }) => `${path}:${line} ${name}`)
  assert.ok(lines.length === 0, `\n  ${lines.join('\n  ')}\n`)
})
