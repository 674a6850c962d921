import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build, printResources, RemoteStatusError, type Remotes } from '../../../../lib/engines/kustomize/build.ts'
import type { FileSystem } from '../../../../lib/engines/kustomize/file-system.ts'
import type { KustomizeError } from '../../../../lib/engines/kustomize/kustomize-error.ts'
import { mountTree } from '../../../../lib/engines/kustomize/remotes.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { BASE, type Files, failure, LIB, output, pod, serving } from './served-remotes.ts'

test('fetches a file once, however often it is named', async () => {
  const remotes = serving({ 'https://files.example/data.txt': 'text' })
  const url = 'https://files.example/data.txt'
  const files = { 'kustomization.yaml': `configMapGenerator: [{name: a, files: ['a=${url}', 'b=${url}']}]\n` }
  assert.match(await output(files, { remotes }), /data:\n {2}a: text\n {2}b: text\n/)
  assert.deepEqual(remotes.asked, [url])
})

test('counts files and repositories together', async () => {
  const remotes: Remotes = {
    file: async url => Buffer.from(pod(`p${/\d+/.exec(url)?.[0]}`)),
    repository: async ({ ref }) => memoryTree({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': pod(ref!) }),
  }
  const listing = (files: number, repositories: number): Files => ({
    'kustomization.yaml': JSON.stringify({
      resources: [
        ...Array.from({ length: files }, (_, i) => `https://files.example/${i}.yaml`),
        ...Array.from({ length: repositories }, (_, i) => `git::${LIB}?ref=r${i}`),
      ],
    }),
  })
  assert.equal((await output(listing(101, 99), { remotes })).match(/^kind: Pod$/gm)?.length, 200)
  for (const [files, repositories] of [
    [101, 100],
    [201, 0],
  ] as const)
    assert.match(await failure(listing(files, repositories), { remotes }), /a build may name 200 remote files/)
})

test('names what could not be had, where it was, and the field that wants it', async () => {
  const fault = async (files: Files): Promise<object> => {
    const error = await build(memoryTree(files), '', { remotes: serving({}, { [LIB]: { 'x/a.yaml': '' } }) }).then(
      () => assert.fail('was built'),
      (error: KustomizeError) => error,
    )
    return { file: error.file, field: error.field }
  }
  for (const path of ['https://files.example/none.yaml', `${LIB}/none.yaml`])
    assert.deepEqual(await fault({ 'kustomization.yaml': `patches: [{path: '${path}'}]\n` }), {
      file: path,
      field: 'patches[0]',
    })
  assert.deepEqual(await fault({ 'kustomization.yaml': `components: ['${LIB}/x/a.yaml']\n` }), {
    file: 'git.example/org/lib/x/a.yaml',
    field: 'components',
  })
  assert.equal(
    String(new RemoteStatusError(404, 'Not Found')),
    'RemoteStatusError: HTTP Error: status code 404 (Not Found)',
  )
})

test('has no remote files for configurations of plugins, and says so', async () => {
  const url = 'https://files.example/patch.yaml'
  const files = {
    'kustomization.yaml': 'transformers: [t.yaml]\n',
    't.yaml': `apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\npath: ${url}\n`,
  }
  const remotes = serving({ [url]: pod('app') })
  await assert.rejects(build(memoryTree(files), '', { remotes }), (error: KustomizeError) => {
    assert.ok(error.message.endsWith(`a remote file can't be read here: ${url}`), error.message)
    assert.equal(error.file, url)
    return true
  })
})

test('takes an address for a file even where a directory has that name', async () => {
  const url = 'https://files.example/pod.yaml'
  const files = { 'kustomization.yaml': `resources: ['${url}']\n`, 'https:/files.example/pod.yaml/a.yaml': pod('a') }
  assert.equal(await output(files, { remotes: serving({ [url]: pod('app') }) }), pod('app'))
})

test('finds a cycle when a repository names itself without the ref that led there', async () => {
  const remotes = serving({}, { [LIB]: { 'kustomization.yaml': `resources: [${LIB}]\n` } })
  assert.match(
    await failure({ 'kustomization.yaml': `resources: ['${LIB}?ref=v1']\n` }, { remotes }),
    new RegExp(`cycle detected: URI '${LIB}' referenced by previous URI '${LIB}\\?ref=v1'$`),
  )
})

test('takes directories of the tree for no part of a repository, even of its name', async () => {
  const repository = {
    'dev/kustomization.yaml': 'resources: [../base]\n',
    'base/kustomization.yaml': 'resources: [pod.yaml]\n',
    'base/pod.yaml': pod('app'),
  }
  const path = 'git.example/org/lib/base/mine'
  const tree = memoryTree({ [`${path}/kustomization.yaml`]: `resources: ['${LIB}//dev']\n` })
  const { resources } = await build(tree, path, { remotes: serving({}, { [LIB]: repository }) })
  assert.equal(printResources(resources), pod('app'))
})

test('confines a repository to itself, also when paths climb beyond all there is', async () => {
  const from = (base: string): Promise<unknown> =>
    build(memoryTree({ 'kustomization.yaml': `resources: ['${LIB}//base']\n`, 'local/kustomization.yaml': '' }), '', {
      remotes: serving({}, { [LIB]: { ...BASE, 'base/kustomization.yaml': base } }),
    })
  for (const path of ['../../../../local', '../../../../../../local'])
    await assert.rejects(from(`components: ['${path}']\n`), (error: KustomizeError) => {
      assert.match(error.message, /bases in kustomizations found in cloned git repos must be within the repo, but base/)
      assert.equal(error.file, 'git.example/org/lib/base')
      return true
    })
  await assert.rejects(from('resources: [no/x.yaml]\n'), /lstat git.example\/org\/lib\/base\/no: no such file/)
})

test('shows a repository by a name without scheme, double slashes, and slashes in its ref', async () => {
  const shown = async (url: string, entry: string): Promise<string> => {
    const tree = memoryTree({ 'kustomization.yaml': `resources: ['${entry}']\n` })
    return (await build(tree, '', { remotes: serving({}, { [url]: BASE }) })).filesRead[0]!.path
  }
  const file = 'base/kustomization.yaml'
  assert.equal(await shown(LIB, `${LIB}//base?ref=feature/x`), `git.example/org/lib@feature%2Fx/${file}`)
  assert.equal(
    await shown('git@h.example:/srv/lib.git', 'git@h.example:/srv/lib.git/base'),
    `git@h.example:/srv/lib.git/${file}`,
  )
  assert.equal(await shown('https://h/a//_git/lib', 'https://h/a//_git/lib/base'), `h/a/_git/lib/${file}`)
})

test('follows links of a repository, which may not lead out of the directory', async () => {
  const links: Files = { 'base/out.yaml': 'other.yaml', 'base/in.yaml': 'base/pod.yaml', whole: '' }
  const linked = (files: Files): FileSystem => {
    const tree = memoryTree({ ...files, 'other.yaml': pod('other') })
    const real = (path: string): string => links[path] ?? path
    return {
      read: path => tree.read(real(path)),
      list: path => tree.list(real(path)),
      realPath: path => (tree.read(real(path)) || tree.list(real(path)) ? real(path) : undefined),
    }
  }
  const from = (entries: string, where = 'base'): Promise<string> => {
    const repository = linked({
      [where === '' ? 'kustomization.yaml' : `${where}/kustomization.yaml`]: `resources: [${entries}]\n`,
      'base/pod.yaml': pod('app'),
    })
    const remotes: Remotes = { ...serving({}), repository: async () => repository }
    return output({ 'kustomization.yaml': `resources: ['${LIB}//${where}']\n` }, { remotes })
  }
  assert.equal(await from('pod.yaml'), pod('app'))
  assert.equal(await from('in.yaml'), pod('app'))
  assert.equal(await from('other.yaml, base/pod.yaml', ''), `${pod('other')}---\n${pod('app')}`)
  await assert.rejects(from('out.yaml'), /security; file 'git.example\/org\/lib\/base\/out.yaml' is not in or below/)
})

test('mounts a tree where there is nothing else', () => {
  const tree = memoryTree({ 'x/y.yaml': 'y' })
  const strict = (path: string): string => path.toString()
  const mounted = mountTree(
    {
      read: path => tree.read(strict(path)),
      list: path => tree.list(strict(path)),
      realPath: path => (path === 'gone' ? undefined : strict(path)),
    },
    'a/b',
  )
  assert.equal(String(mounted.read('a/b/x/y.yaml')), 'y')
  assert.deepEqual(
    ['a/b', 'a/b/x', 'a', 'b', 'a/c', 'a/bx'].map(path => mounted.list(path)),
    [['x'], ['y.yaml'], [], undefined, undefined, undefined],
  )
  assert.deepEqual(
    ['a/b', 'a/b/x', 'a/b/gone', 'a', 'x'].map(path => mounted.realPath!(path)),
    ['a/b', 'a/b/x', undefined, undefined, undefined],
  )
  assert.deepEqual(
    ['x/y.yaml', 'a', 'a/bx/y.yaml'].map(path => mounted.read(path)),
    [undefined, undefined, undefined],
  )
  assert.equal(mountTree(tree, 'a').realPath, undefined)
})
