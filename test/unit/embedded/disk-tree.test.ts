import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { diskTree } from '../../../lib/platform/adapters/embedded/disk-tree.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString()

test('a directory as a tree follows links within it, and none that leads out of it', () => {
  const dir = tempDir({ 'root/a.txt': 'a', 'root/sub/b.txt': 'b', 'secret.txt': 'secret', 'root2/c.txt': 'c' })
  symlinkSync('../a.txt', join(dir, 'root/sub/inner'))
  symlinkSync('../../secret.txt', join(dir, 'root/sub/outer'))
  symlinkSync(dir, join(dir, 'root/up'))
  symlinkSync('../root2', join(dir, 'root/beside'))
  symlinkSync('loop', join(dir, 'root/loop'))
  const tree = diskTree(join(dir, 'root'))
  assert.deepEqual(tree.list(''), ['a.txt', 'beside', 'loop', 'sub', 'up'])
  assert.equal(text(tree.read('sub/inner')), 'a')
  assert.equal(tree.realPath('sub/inner'), 'a.txt')
  for (const path of ['sub/outer', 'up/secret.txt', 'beside/c.txt', 'loop', '../secret.txt', 'missing', 'sub'])
    assert.equal(tree.read(path), undefined, path)
  for (const path of ['up', 'beside', 'loop', '..', 'a.txt']) assert.equal(tree.list(path), undefined, path)
})

test('the whole machine as a tree has its root as root', () => {
  const dir = tempDir({ 'a.txt': 'a' })
  mkdirSync(join(dir, 'empty'))
  symlinkSync('a.txt', join(dir, 'link'))
  const tree = diskTree()
  const path = (name: string): string => join(dir, name).slice(1)
  assert.equal(text(tree.read(path('link'))), 'a')
  assert.equal(tree.realPath(path('link')), tree.realPath(path('a.txt')))
  assert.deepEqual(tree.list(path('empty')), [])
})
