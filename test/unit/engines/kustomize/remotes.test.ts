import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BuildCache, build, type Remotes } from '../../../../lib/engines/kustomize/build.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { BASE, type Files, failure, LIB, output, pod, serving } from './served-remotes.ts'

test('builds on a base in a repository, fetched once however often it is named', async () => {
  const remotes = serving(
    {},
    { [LIB]: { ...BASE, 'dev/kustomization.yaml': 'resources: [../base]\nnamePrefix: dev-\n' } },
  )
  const files = { 'kustomization.yaml': `resources: ['git::${LIB}//base?ref=v1', 'git::${LIB}//dev?ref=v1']\n` }
  assert.equal(await output(files, { remotes }), `${pod('app')}---\n${pod('dev-app')}`)
  assert.deepEqual(remotes.asked, [`${LIB} v1`])
})

test('records the repository, its ref and the path in it as the origin', async () => {
  const url = 'file:///srv/multibase.git'
  const tree = { ...BASE, 'dev/kustomization.yaml': 'resources: [../base]\nnamePrefix: dev-\n' }
  const files = {
    'kustomization.yaml': `resources: ['${url}/dev?version=main&timeout=500']\nbuildMetadata: [originAnnotations]\n`,
  }
  assert.equal(
    await output(files, { remotes: serving({}, { [url]: tree }) }),
    [
      'apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    config.kubernetes.io/origin: |',
      `      path: base/pod.yaml\n      repo: ${url}\n      ref: main\n  name: dev-app\n`,
    ].join('\n'),
  )
})

test('reads resources, patches and data of generators over HTTP', async () => {
  const remotes = serving({
    'https://files.example/pod.yaml': pod('app'),
    'https://files.example/patch.yaml': `${pod('app')}  labels: {patched: 'yes'}\n`,
    'https://files.example/data.txt': 'text',
  })
  const files = {
    'kustomization.yaml': [
      'resources: [https://files.example/pod.yaml]',
      'patches: [{path: https://files.example/patch.yaml}]',
      "configMapGenerator: [{name: data, files: ['a=https://files.example/data.txt']}]",
      'generatorOptions: {disableNameSuffixHash: true}\n',
    ].join('\n'),
  }
  assert.equal(
    await output(files, { remotes }),
    [
      'apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    patched: "yes"\n  name: app\n',
      'apiVersion: v1\ndata:\n  a: text\nkind: ConfigMap\nmetadata:\n  name: data\n',
    ].join('---\n'),
  )
})

test('reads data of generators over HTTP under the key that is given, or the name of the file', async () => {
  const remotes = serving({
    'https://files.example/a.txt': 'a',
    'http://files.example/b.txt': 'b',
  })
  const files = {
    'kustomization.yaml': `configMapGenerator:
- name: data
  options: {disableNameSuffixHash: true}
  files:
  - https://files.example/a.txt
  - long-key=http://files.example/b.txt
`,
  }
  assert.equal(
    await output(files, { remotes }),
    'apiVersion: v1\ndata:\n  a.txt: a\n  long-key: b\nkind: ConfigMap\nmetadata:\n  name: data\n',
  )
})

test('says which of the files it read are remote', async () => {
  const remotes = serving({ 'https://files.example/a.yaml': pod('a') }, { [LIB]: BASE })
  const tree = memoryTree({
    'kustomization.yaml': `resources: [https://files.example/a.yaml, '${LIB}//base?ref=v1']\n`,
  })
  const { filesRead, resources } = await build(tree, '', { remotes })
  assert.deepEqual(
    filesRead.map(({ path, remote }) => [path, remote ?? false]),
    [
      ['git.example/org/lib@v1/base/kustomization.yaml', true],
      ['git.example/org/lib@v1/base/pod.yaml', true],
      ['https://files.example/a.yaml', true],
      ['kustomization.yaml', false],
    ],
  )
  assert.deepEqual(
    resources.map(({ origin }) => origin.file),
    ['https://files.example/a.yaml', 'git.example/org/lib@v1/base/pod.yaml'],
  )
})

test('keeps a repository from reading the tree, or anything outside of itself', async () => {
  const secret = { 'secret.yaml': pod('secret'), 'local/kustomization.yaml': 'resources: [../secret.yaml]\n' }
  const from = async (base: string): Promise<string> =>
    failure(
      { ...secret, 'kustomization.yaml': `resources: ['github.com/org/lib/base']\n` },
      {
        loadRestrictions: 'none',
        remotes: serving(
          {},
          { 'https://github.com/org/lib': { 'base/kustomization.yaml': base, 'other.yaml': pod('x') } },
        ),
      },
    )
  assert.match(await from('resources: [/secret.yaml]\n'), /lstat secret.yaml: no such file or directory/)
  assert.match(await from('resources: [../../../../secret.yaml]\n'), /no such file or directory/)
  assert.match(
    await from('resources: [../../../../local]\n'),
    /must be within the repo, but base '..\/..\/..\/..\/local'/,
  )
  assert.match(
    await from('resources: [../other.yaml]\n'),
    /security; file 'github.com\/org\/lib\/other.yaml' is not in/,
  )
})

test('finds cycles that go through repositories', async () => {
  const other = 'https://git.example/org/other'
  const remotes = serving(
    {},
    {
      [LIB]: { 'kustomization.yaml': `resources: [${other}]\n` },
      [other]: { 'kustomization.yaml': `resources: [${LIB}]\n` },
    },
  )
  assert.match(
    await failure({ 'kustomization.yaml': `resources: [${LIB}]\n` }, { remotes }),
    new RegExp(`cycle detected: URI '${LIB}' referenced by previous URI '${LIB}'$`),
  )
})

test('says why a remote could not be had', async () => {
  const remotes = serving({})
  const said = (entry: string): Promise<string> =>
    failure({ 'kustomization.yaml': `resources: ['${entry}']\n` }, { remotes })
  assert.equal(
    await said('http://127.0.0.1:39269/segments-too-few-to-be-repo'),
    "accumulating resources: accumulating resources from 'http://127.0.0.1:39269/segments-too-few-to-be-repo': HTTP Error: status code 404 (Not Found)",
  )
  assert.equal(
    await said(`${LIB}/base`),
    `accumulating resources: accumulation err='accumulating resources from '${LIB}/base': URL is a git repository': no repository at ${LIB}`,
  )
})

test('refuses all that is remote when nothing is there to fetch it', async () => {
  assert.match(
    await failure({ 'kustomization.yaml': 'resources: [https://files.example/pod.yaml]\n' }, {}),
    /no loader for remote files is set up: https:\/\/files.example\/pod.yaml/,
  )
})

test('fetches remote files again, whatever the cache has', async () => {
  const tree = {
    'kustomization.yaml': 'resources: [a]\n',
    'a/kustomization.yaml': `resources: ['git::${LIB}//base']\n`,
  }
  const cache = new BuildCache()
  const first = await output(tree, { cache, remotes: serving({}, { [LIB]: BASE }) })
  const changed = { ...BASE, 'base/pod.yaml': pod('changed') }
  assert.equal(first, pod('app'))
  assert.equal(await output(tree, { cache, remotes: serving({}, { [LIB]: changed }) }), pod('changed'))
})

test('bounds how many files and repositories one build may name', async () => {
  const urls = (count: number): string[] => Array.from({ length: count }, (_, i) => `https://files.example/${i}.yaml`)
  const remotes: Remotes = {
    file: async url => Buffer.from(pod(`p${/\d+/.exec(url)?.[0]}`)),
    repository: async () => memoryTree(BASE),
  }
  const listing = (entries: readonly string[]): Files => ({
    'kustomization.yaml': JSON.stringify({ resources: entries }),
  })
  assert.equal((await output(listing(urls(200)), { remotes })).match(/^kind: Pod$/gm)?.length, 200)
  assert.match(
    await failure(listing([...urls(200), `git::${LIB}//base`]), { remotes }),
    /a build may name 200 remote files and repositories, and .* is one more/,
  )
})

test('keeps credentials of a URL out of the names of its files', async () => {
  const url = 'https://user:token@git.example/org/lib'
  const tree = memoryTree({ 'kustomization.yaml': `resources: ['${url}//base']\n` })
  const { filesRead } = await build(tree, '', { remotes: serving({}, { [url]: BASE }) })
  assert.deepEqual(
    filesRead.map(({ path }) => path),
    ['git.example/org/lib/base/kustomization.yaml', 'git.example/org/lib/base/pod.yaml', 'kustomization.yaml'],
  )
})
