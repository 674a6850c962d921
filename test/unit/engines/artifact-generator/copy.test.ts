/** The rules of source-watcher's internal/builder, read from its source. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CopyOperation, copyFiles } from '../../../../lib/engines/artifact-generator/copy.ts'
import type { Files, StagedFile } from '../../../../lib/engines/artifact-generator/files.ts'

const file = (content: string, executable = false): StagedFile => ({ content: Buffer.from(content), executable })
const filesOf = (texts: Readonly<Record<string, string>>): Files =>
  new Map(Object.entries(texts).map(([path, text]) => [path, file(text)]))

const repo = filesOf({
  'README.md': 'readme',
  'apps/a/deploy.yaml': 'a: 1',
  'apps/a/docs/notes.md': 'notes',
  'apps/b/deploy.yaml': 'b: 1',
  'apps/kustomization.yaml': 'apps',
  'charts/one.tgz': 'archive one',
  'charts/deep/two.TAR.GZ': 'archive two',
  'charts/deep/values.yaml': 'x: 1',
})

const extract = async (archive: Uint8Array): Promise<Files> => {
  const text = Buffer.from(archive).toString()
  if (!text.startsWith('archive')) throw new Error('the archive is damaged')
  return filesOf({ [`${text.slice(8)}/Chart.yaml`]: text })
}

const run = async (
  copy: readonly CopyOperation[],
  sources: Readonly<Record<string, Files>> = { repo },
  limits?: object,
) => {
  const files = await copyFiles(copy, new Map(Object.entries(sources)), {
    extract,
    ...(limits && { limits: limits as never }),
  })
  return Object.fromEntries([...files].map(([path, { content }]) => [path, Buffer.from(content).toString()]).sort())
}
const paths = async (...copy: CopyOperation[]) => Object.keys(await run(copy))
const fails = (message: string, ...copy: CopyOperation[]) =>
  assert.rejects(run(copy), (error: Error) => {
    const { from, to } = copy.at(-1)!
    assert.equal(error.message, `failed to apply copy operation from '${from}' to '${to}': ${message}`)
    return true
  })

test('AG-019 a file is copied to a path, into a folder with a slash, and into a folder that exists', async () => {
  assert.deepEqual(await paths({ from: '@repo/README.md', to: '@artifact/doc.md' }), ['doc.md'])
  assert.deepEqual(await paths({ from: '@repo/README.md', to: '@artifact/' }), ['README.md'])
  assert.deepEqual(await paths({ from: '@repo/README.md', to: '@artifact/a/b/' }), ['a/b/README.md'])
  const into = { from: '@repo/README.md', to: '@artifact/apps' }
  assert.deepEqual(await paths({ from: '@repo/apps/kustomization.yaml', to: '@artifact/apps/' }, into), [
    'apps/README.md',
    'apps/kustomization.yaml',
  ])
})

test('AG-020 a folder without a pattern is copied as a folder below the destination', async () => {
  const copied = ['to/a/deploy.yaml', 'to/a/docs/notes.md']
  assert.deepEqual(await paths({ from: '@repo/apps/a', to: '@artifact/to' }), copied)
  assert.deepEqual(await paths({ from: '@repo/apps/a/', to: '@artifact/to/' }), copied)
  assert.deepEqual(
    await paths({ from: '@repo/', to: '@artifact/to' }),
    [...repo.keys()].map(path => `to/${path}`).sort(),
  )
})

test('AG-021 folder/** copies what is in a folder; other patterns keep the whole path', async () => {
  assert.deepEqual(await paths({ from: '@repo/apps/a/**', to: '@artifact/to/' }), [
    'to/deploy.yaml',
    'to/docs/notes.md',
  ])
  assert.deepEqual(await paths({ from: '@repo/apps/*.yaml', to: '@artifact/' }), ['apps/kustomization.yaml'])
  assert.deepEqual(await paths({ from: '@repo/apps/*/deploy.yaml', to: '@artifact/to' }), [
    'to/apps/a/deploy.yaml',
    'to/apps/b/deploy.yaml',
  ])
})

test('AG-022 ** in the middle of a pattern is no more than *, except with Extract', async () => {
  await fails("no files match pattern '**/notes.md' in source 'repo'", { from: '@repo/**/notes.md', to: '@artifact/' })
  assert.deepEqual(await paths({ from: '@repo/charts/**/*.{tgz,TAR.GZ}', to: '@artifact/c', strategy: 'Extract' }), [
    'c/one/Chart.yaml',
    'c/two/Chart.yaml',
  ])
  await fails("invalid glob pattern 'apps/[': syntax error in pattern", { from: '@repo/apps/[', to: '@artifact/' })
})

test('AG-023 exclusions are for paths from the root, from the folder of the pattern, and for names at any depth', async () => {
  const all = { from: '@repo/apps/**', to: '@artifact/' }
  assert.deepEqual(await paths({ ...all, exclude: ['*.md', 'b/**'] }), ['a/deploy.yaml', 'kustomization.yaml'])
  assert.deepEqual(await paths({ ...all, exclude: ['apps/{a,b}'] }), ['kustomization.yaml'])
  assert.deepEqual(await paths({ ...all, exclude: ['**/deploy.yaml'] }), ['a/docs/notes.md', 'kustomization.yaml'])
  assert.deepEqual(await paths({ from: '@repo/README.md', to: '@artifact/', exclude: ['README.*'] }), [])
  await fails("invalid exclude pattern 'a{'", { ...all, exclude: ['a{'] })
  const many = '{a,b}'.repeat(10)
  await fails(`invalid exclude pattern '${many}'`, { ...all, exclude: [many] })
})

test('AG-024 errors name what was not found', async () => {
  const to = '@artifact/'
  await fails("source 'none.yaml' does not exist", { from: '@repo/none.yaml', to })
  await fails("no files match pattern 'none/*' in source 'repo'", { from: '@repo/none/*', to })
  const excluded = "all files matching pattern '*.md' in source 'repo' were excluded"
  await fails(excluded, { from: '@repo/*.md', to, exclude: ['*.md'] })
  await fails("source alias 'other' not found", { from: '@other/x', to })
})

test('AG-017 a source begins with an alias, a destination with @artifact', async () => {
  const [from, to] = ['@repo/README.md', '@artifact/']
  await fails("invalid copy source 'repo/x': source must start with '@'", { from: 'repo/x', to })
  await fails("invalid copy source '@repo': source format must be '@alias/pattern'", { from: '@repo', to })
  await fails("invalid copy destination 'x': destination must start with '@artifact/'", { from, to: 'x' })
})

test('AG-018 AG-026 AG-027 later operations overwrite, or merge YAML with Merge', async () => {
  const sources = {
    base: filesOf({ 'values.yaml': 'image:\n  tag: "1"\n  name: app\nlist: [1, 2]\n' }),
    prod: filesOf({ 'values.yaml': 'image:\n  tag: "2"\n---\nlist: [3]\n' }),
    bad: filesOf({ 'values.yaml': '- 1\n' }),
  }
  const op = (alias: string, strategy?: CopyOperation['strategy']): CopyOperation => ({
    from: `@${alias}/values.yaml`,
    to: '@artifact/values.yaml',
    ...(strategy && { strategy }),
  })
  const prod = 'image:\n  tag: "2"\n---\nlist: [3]\n'
  assert.deepEqual(await run([op('base'), op('prod')], sources), { 'values.yaml': prod })
  assert.deepEqual(await run([op('prod', 'Merge')], sources), { 'values.yaml': prod })
  const merged = 'image:\n  name: app\n  tag: "2"\nlist:\n- 3\n'
  assert.deepEqual(await run([op('base'), op('prod', 'Merge')], sources), { 'values.yaml': merged })
  await assert.rejects(
    run([op('base'), op('bad', 'Merge')], sources),
    /cannot unmarshal YAML document: .* cannot unmarshal array/,
  )
})

test('AG-028 Extract unpacks tar.gz and tgz, and refuses other files and folders', async () => {
  const [to, strategy] = ['@artifact/c/', 'Extract'] as const
  assert.deepEqual(await run([{ from: '@repo/charts/one.tgz', to, strategy }]), { 'c/one/Chart.yaml': 'archive one' })
  const notArchive = "extract strategy requires tarball file (.tar.gz or .tgz), got 'README.md'"
  await fails(notArchive, { from: '@repo/README.md', to, strategy })
  await fails("extract strategy is not supported for directories, got 'charts'", { from: '@repo/charts', to, strategy })
  assert.deepEqual(await paths({ from: '@repo/charts/deep/*.yaml', to, strategy }), [])
})

test('AG-025 paths do not lead out of source and artifact', async () => {
  const from = '@repo/README.md'
  await fails('failed to create destination directory: mkdirat ..: path escapes from parent', {
    from,
    to: '@artifact/../x',
  })
  await fails('openat ..: path escapes from parent', { from, to: '@artifact/..' })
  await fails("failed to stat source '../x': statat ../x: path escapes from parent", {
    from: '@repo/../x',
    to: '@artifact/',
  })
  assert.deepEqual(await paths({ from, to: '@artifact/a/../b' }), ['b'])
})

test('a file does not replace a folder, nor a folder a file', async () => {
  const inner = { from: '@repo/README.md', to: '@artifact/README.md/inner' }
  const over = "failed to copy file 'README.md' to 'README.md': openat README.md: is a directory"
  await fails(over, inner, { from: '@repo/*.md', to: '@artifact/' })
  const outer = { from: '@repo/README.md', to: '@artifact/x' }
  await fails('openat x/y: not a directory', outer, { from: '@repo/README.md', to: '@artifact/x/y' })
  const deeper = 'failed to create destination directory: mkdirat x/y: not a directory'
  await fails(deeper, outer, { from: '@repo/README.md', to: '@artifact/x/y/z/f' })
})

test('AG-049 an artifact has limits', async () => {
  const all = [{ from: '@repo/', to: '@artifact/' }]
  await assert.rejects(run(all, { repo }, { maxFiles: 2, maxBytes: 1000 }), /the artifact has more than 2 files/)
  await assert.rejects(run(all, { repo }, { maxFiles: 100, maxBytes: 10 }), /the artifact has more than 10 bytes/)
})

test('executable files stay executable', async () => {
  const sources = new Map([['repo', new Map([['run.sh', file('x', true)]])]])
  const files = await copyFiles([{ from: '@repo/*', to: '@artifact/' }], sources, { extract })
  assert.equal(files.get('run.sh')?.executable, true)
})
