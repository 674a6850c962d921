import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../..')
const texts = globSync(
  ['README.md', 'docs/**/*.md', 'lib/**/*.ts', 'functions/**/*.ts', 'infra/**/*.ts', 'events/**/*.ts'],
  {
    cwd: root,
  },
)

test('pages, comments and messages call nobody "he"', () => {
  const found = texts.flatMap(path =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, at) => (/\b(he|his|him|himself)\b/.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  )
  assert.ok(texts.length > 500)
  assert.deepEqual(found, [])
})
