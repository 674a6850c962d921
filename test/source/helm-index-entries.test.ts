import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIndex, writeIndex } from '../../lib/sources/helm/index-file.ts'

const written = (text: string) => writeIndex(parseIndex(Buffer.from(text)))

test('an index without charts is written as Go does: a map that is missing is null, one that is empty is not', () => {
  const index = (entries: string) => `{
  "apiVersion": "v1",
  "generated": "0001-01-01T00:00:00Z",
  "entries": ${entries}
}`
  assert.equal(written('apiVersion: v1\n'), index('null'))
  assert.equal(written('apiVersion: v1\nentries:\n'), index('null'))
  assert.equal(written('apiVersion: v1\nentries: {}\n'), index('{}'))
  assert.equal(
    written('apiVersion: v1\nentries: {none: , empty: []}\n'),
    index('{\n    "empty": [],\n    "none": null\n  }'),
  )
  // What is stored is read again as it was.
  for (const entries of ['null', '{}']) assert.equal(written(index(entries)), index(entries))
})
