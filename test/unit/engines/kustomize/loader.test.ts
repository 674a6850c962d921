import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileSystem } from '../../../../lib/engines/kustomize/file-system.ts'
import { Loader } from '../../../../lib/engines/kustomize/loader.ts'
import { ReadLog } from '../../../../lib/engines/kustomize/read-log.ts'
import { Budget } from '../../../../lib/foundations/budget/budget.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'

test('reads nothing outside of the tree', () => {
  const asked: unknown[] = []
  const fs: FileSystem = {
    read: path => void asked.push(path),
    list: path => void asked.push(path),
  }
  const loader = new Loader({ fs, log: new ReadLog(new Budget()), restrictions: 'none', shownRoot: '/tree/' }, 'app')
  assert.equal(loader.tryLoad('../../x'), undefined)
  assert.deepEqual(loader.filesBelow('../../x'), new Map())
  assert.equal(loader.isDirectory('../../x'), false)
  assert.deepEqual(asked, [])
  assert.throws(() => loader.load('../../x'), {
    message: "evalsymlink failure on '/tree/../../x' : lstat /tree/..: no such file or directory",
  })
})

test('distinguishes directories of the tree from files, URLs and missing paths', () => {
  const fs = memoryTree({ 'app/base/a.yaml': '', 'app/https:/host/a.yaml': '' })
  const loader = new Loader({ fs, log: new ReadLog(new Budget()), restrictions: 'none', shownRoot: '/' }, 'app')
  assert.deepEqual(
    ['base', '../app', '.', 'base/a.yaml', 'missing', 'https://host'].map(path => loader.isDirectory(path)),
    [true, true, true, false, false, false],
  )
})
