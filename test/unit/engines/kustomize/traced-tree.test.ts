/** What a build notes of the tree, to know when a part of it would come to the same again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileSystem } from '../../../../lib/engines/kustomize/file-system.ts'
import { sameBytes, type Trace, TracedTree } from '../../../../lib/engines/kustomize/memory/traced-tree.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'

const FILES = { 'base/a.yaml': 'a', 'base/b.yaml': 'b' }
const NOTHING = new Map<string, Uint8Array>()
const traced = (files: Record<string, string>) => new TracedTree(memoryTree(files), NOTHING)

const asking = (tree: TracedTree, ...steps: readonly (() => unknown)[]): Trace =>
  tree.tracing(() => {
    for (const step of steps) step()
  }).trace

test('a trace is valid in trees with the same content', () => {
  const tree = traced(FILES)
  const trace = asking(
    tree,
    () => tree.read('base/a.yaml'),
    () => tree.read('missing.yaml'),
    () => tree.list('base'),
    () => tree.list('elsewhere'),
  )
  const holdsIn = (files: Record<string, string>): boolean => traced(files).holds(trace)
  assert.equal(holdsIn(FILES), true)
  assert.equal(holdsIn({ ...FILES, 'base/more.yaml': 'names in a directory do not count' }), true)
  assert.equal(holdsIn({ ...FILES, 'base/a.yaml': 'changed' }), false)
  assert.equal(holdsIn({ ...FILES, 'missing.yaml': 'there now' }), false)
  assert.equal(holdsIn({ ...FILES, 'elsewhere/x': 'a directory now' }), false)
  assert.equal(holdsIn({ 'base/b.yaml': 'b' }), false)
})

test('whether a path is a directory counts by itself, also for the steps around', () => {
  const tree = traced(FILES)
  const outer = asking(tree, () => asking(tree, () => asking(tree, () => tree.list('base'))))
  assert.deepEqual([...outer.directories], [['base', true]])
  assert.equal(traced({ base: 'a file' }).holds(outer), false)
})

test('reads outside of all steps are possible, and not recorded', () => {
  const tree = traced(FILES)
  assert.deepEqual(tree.list('base'), ['a.yaml', 'b.yaml'])
  assert.equal(Buffer.from(tree.read('base/a.yaml')!).toString(), 'a')
  const { reads, directories } = asking(tree)
  assert.deepEqual([reads.size, directories.size], [0, 0])
})

test('a tree is read only once', () => {
  const asked: string[] = []
  const within = memoryTree(FILES)
  const counting: FileSystem = {
    read: path => {
      asked.push(path)
      return within.read(path)
    },
    list: path => {
      asked.push(`${path}/`)
      return within.list(path)
    },
  }
  const tree = new TracedTree(counting, NOTHING)
  for (let time = 0; time < 2; time++) {
    tree.read('base/a.yaml')
    tree.read('missing')
    tree.list('base')
    tree.list('missing')
  }
  assert.deepEqual(asked, ['base/a.yaml', 'missing', 'base/', 'missing/'])
})

test('bytes are the same when they are equal, and nothing is the same as nothing', () => {
  const bytes = (text: string) => Buffer.from(text)
  assert.equal(sameBytes(bytes('ab'), bytes('ab')), true)
  assert.equal(sameBytes(undefined, undefined), true)
  for (const [a, b] of [
    ['ab', 'abc'],
    ['abc', 'ab'],
    ['ab', 'ac'],
  ] as const)
    assert.equal(sameBytes(bytes(a), bytes(b)), false)
  assert.equal(sameBytes(bytes(''), undefined), false)
  assert.equal(sameBytes(undefined, bytes('')), false)
})
