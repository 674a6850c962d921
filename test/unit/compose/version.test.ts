import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { version } from '../../../lib/compose/version.ts'

test('clients get the version of the package', () => {
  const { version: packaged } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  assert.equal(version, packaged)
})
