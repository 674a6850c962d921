import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceHash } from '../../bed/go-tool.ts'
import { tempDir } from '../../bed/temp-dir.ts'

test('names a source by all its files: another name or content is another source', () => {
  const hash = (files: Record<string, string>) => sourceHash(tempDir(files))
  const one = hash({ 'go.mod': 'module m', 'main.go': 'package main' })
  assert.equal(hash({ 'main.go': 'package main', 'go.mod': 'module m' }), one)
  assert.notEqual(hash({ 'go.mod': 'module m', 'main.go': 'package other' }), one)
  assert.notEqual(hash({ 'go.mod': 'module m', 'other.go': 'package main' }), one)
})
