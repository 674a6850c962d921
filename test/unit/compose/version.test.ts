import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { version } from '../../../lib/compose/version.ts'

test('the version that clients are told is that of the package', () => {
  const { version: packaged } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  assert.equal(version, packaged)
})
