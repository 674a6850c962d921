import assert from 'node:assert/strict'
import { join } from 'node:path/posix'
import { test } from 'node:test'
import { build } from '../../../../lib/engines/kustomize/build.ts'
import type { FileSystem } from '../../../../lib/engines/kustomize/file-system.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'

const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`

const FILES = {
  'app/kustomization.yaml': 'resources: [a.yaml]\n',
  'app/a.yaml': configMap('a'),
  'apple/b.yaml': configMap('b'),
  'top.yaml': configMap('top'),
}

/** A tree in which these paths are links to others. */
const linked = (links: Readonly<Record<string, string>>): FileSystem => {
  const real = (path: string): string => {
    const link = Object.keys(links).find(from => path === from || path.startsWith(`${from}/`))
    return link === undefined ? path : links[link]! + path.slice(link.length)
  }
  const tree = memoryTree(FILES)
  return {
    read: path => tree.read(real(path)),
    list: path => tree.list(real(path)),
    realPath: path => (tree.read(real(path)) || tree.list(real(path)) ? real(path) : undefined),
  }
}

const restricted = async (tree: FileSystem, path = 'app'): Promise<string> => {
  try {
    const { resources } = await build(tree, path, { loadRestrictions: 'root-only', shownRoot: '/root' })
    return resources.map(({ object }) => (object.metadata as { name: string }).name).join()
  } catch (error) {
    return (error as Error).message
  }
}

const resource = (entry: string): FileSystem =>
  memoryTree({ ...FILES, 'app/kustomization.yaml': `resources: [${entry}]\n` })

test('reads only the directory and below, if requested', async () => {
  const refused = (path: string, entry: string): string =>
    `accumulating resources: accumulation err='accumulating resources from '${entry}': security; file '/root/${path}' is not in or below '/root/app'': must build at directory: '/root/${path}': file is not directory`
  assert.equal(await restricted(resource('a.yaml')), 'a')
  assert.equal(await restricted(resource('../app/./a.yaml')), 'a')
  assert.equal(await restricted(resource('../top.yaml')), refused('top.yaml', '../top.yaml'))
  assert.equal(await restricted(resource('../apple/b.yaml')), refused('apple/b.yaml', '../apple/b.yaml'))
})

test('shows the root as it was given', async () => {
  const tree = memoryTree({ 'app/kustomization.yaml': 'resources: [..]\n' })
  for (const [shownRoot, shown] of [
    ['/', '/'],
    ['/one/two', '/one/two'],
    ['/one/two/', '/one/two'],
  ] as const)
    await assert.rejects(build(tree, 'app', { shownRoot }), ({ message }: Error) =>
      message.endsWith(`cycle detected: candidate root '${shown}' contains visited root '${join(shown, 'app')}'`),
    )
})

test('reports paths that are missing, no files, or outside of the tree', async () => {
  const prefix = 'accumulating resources: accumulation err='
  const missing = "evalsymlink failure on '/root/app/x/y.yaml' : lstat /root/app/x: no such file or directory"
  assert.equal(
    await restricted(resource('x/y.yaml')),
    `${prefix}'accumulating resources from 'x/y.yaml': ${missing}': must build at directory: not a valid directory: ${missing}`,
  )
  assert.equal(
    await restricted(resource('../apple')),
    `${prefix}'accumulating resources from '../apple': '/root/apple' must resolve to a file': couldn't make target for path '/root/apple': unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '/root/apple'`,
  )
  const outside = "evalsymlink failure on '/root/../../../x' : lstat /root/..: no such file or directory"
  assert.equal(
    await restricted(resource('../../../x')),
    `${prefix}'accumulating resources from '../../../x': ${outside}': must build at directory: ${outside}`,
  )
})

test('sees through links: what they lead to must be in or below the directory', async () => {
  assert.equal(await restricted(linked({})), 'a')
  assert.equal(await restricted(linked({ 'app/a.yaml': 'app/a.yaml' })), 'a')
  assert.match(await restricted(linked({ 'app/a.yaml': 'top.yaml' })), /security; file '\/root\/app\/a.yaml' is not in/)
  assert.match(await restricted(linked({ 'app/a.yaml': 'apple/b.yaml' })), /is not in or below '\/root\/app'/)
  assert.equal(await restricted(linked({ link: 'app' }), 'link'), 'a')
})

test('reads anything in the tree, also through links, by default', async () => {
  const names = async (tree: FileSystem) =>
    (await build(tree, 'app')).resources.map(({ object }) => (object.metadata as { name: string }).name)
  assert.deepEqual(await names(resource('../top.yaml')), ['top'])
  assert.deepEqual(await names(linked({ 'app/a.yaml': 'top.yaml' })), ['top'])
})

test('names the file that may not be read, or is none', async () => {
  for (const path of ['../top.yaml', '../apple', 'missing.yaml']) {
    const tree = memoryTree({ ...FILES, 'app/kustomization.yaml': `patches: [{path: ${path}}]\n` })
    const file = join('app', path)
    await assert.rejects(build(tree, 'app', { loadRestrictions: 'root-only' }), { file, field: 'patches[0]' })
  }
})

test('reports the first missing part of a path, outside of the tree as well as inside', async () => {
  const files = { ...FILES, 'app/x/y/z.yaml': configMap('z') }
  const said = async (entry: string): Promise<string> =>
    restricted(memoryTree({ ...files, 'app/kustomization.yaml': `resources: [${entry}]\n` }))
  assert.match(await said('x/y/no.yaml'), / lstat \/root\/app\/x\/y\/no.yaml: no such/)
  assert.match(await said('x/no/no/z.yaml'), / lstat \/root\/app\/x\/no: no such/)
  assert.match(await said('/../no/z.yaml'), / lstat \/root\/\/..: no such/)
  for (const loadRestrictions of ['root-only', 'none'] as const)
    await assert.rejects(
      build(resource('../../../x'), 'app', { loadRestrictions, shownRoot: '/root' }),
      ({ message }: Error) => message.includes("evalsymlink failure on '/root/../../../x' : lstat /root/..: no such"),
    )
})

test('shows the root itself without a slash at its end', async () => {
  for (const shownRoot of ['/one/two', '/one/two/'])
    await assert.rejects(build(memoryTree({ 'a.yaml': '' }), '', { shownRoot }), {
      message:
        "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '/one/two'",
    })
})
