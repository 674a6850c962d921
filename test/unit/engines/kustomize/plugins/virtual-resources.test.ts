import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build as buildTree } from '../../../../../lib/engines/kustomize/build.ts'
import type { KustomizeError } from '../../../../../lib/engines/kustomize/kustomize-error.ts'
import { memoryTree } from '../../../../conformance/memory-tree.ts'
import { configMap, programs } from './fake-runner.ts'
import { APP, CONFIG_MAP, type Files, GROUP } from './plugin-scene.ts'

/** Virtual resources on their way to the plugin of their group: how they are told from others, and patched. */

const installed = { [`plugins/${GROUP}`]: {} }
const NAMELESS = APP.replace('metadata:\n  name: app\n', '')
const MERGE = `patches:\n- patch: ${JSON.stringify(`${CONFIG_MAP}data: {k: v}\n`)}\n`
const json = (path: string, target: string, op = 'replace') =>
  `- {patch: '[{"op": "${op}", "path": "${path}", "value": "patched"}]', target: {${target}}}\n`

/** A build whose plugin gives back all resources that aren't its own: what that got, and what came of it. */
const seen = async (kustomization: string, app: string, files: Files = {}) => {
  const { build, requests } = programs(
    ({ stdin }) =>
      stdin
        .split('---\n')
        .filter(text => !text.includes(GROUP))
        .join('---\n'),
    installed,
  )
  const tree = { 'kustomization.yaml': `resources: [a.yaml]\ntransformers: [app.yaml]\n${kustomization}` }
  const output = await build({ ...tree, 'app.yaml': app, ...files })
  return {
    output,
    requests,
    virtual: requests.flatMap(({ stdin }) => stdin.split('---\n')).filter(text => text.includes(GROUP)),
  }
}

const failure = (built: Promise<unknown>): Promise<Pick<KustomizeError, 'message' | 'file' | 'field'>> =>
  built.then(
    () => assert.fail('was built'),
    ({ message, file, field }: KustomizeError) => ({ message, file, field }),
  )

test('leaves patches of other resources to those', async () => {
  const patched = CONFIG_MAP.replace('kind', 'data:\n  k: v\nkind')
  for (const app of [APP, NAMELESS]) {
    const { output, virtual } = await seen(MERGE, app)
    assert.deepEqual([output, virtual], [patched, [app]])
  }
  const { output, virtual } = await seen(`${MERGE}${json('/data/k', 'kind: ConfigMap')}`, APP)
  assert.deepEqual([output, virtual], [patched.replace('k: v', 'k: patched'), [APP]])
})

test('patches each of the virtual resources that a target chooses, whether they have names or not', async () => {
  const sizes = async (patch: string, app: string) =>
    (await seen(`patches:\n${patch}`, app)).virtual.map(text => /size: (.*)/.exec(text)?.[1])
  const merging = (target: string) =>
    `- {patch: ${JSON.stringify(`apiVersion: x/v1\nkind: X\nmetadata: {name: x}\nsize: small\n`)}, target: {${target}}}\n`
  const nameless = `${NAMELESS}---\n${NAMELESS.replace('big', 'bigger')}`
  const named = `${APP}---\n${APP.replace('name: app', 'name: other')}`
  for (const [patch, size] of [
    [json('/size', 'kind: App'), 'patched'],
    [merging('kind: App'), 'small'],
  ] as const)
    for (const app of [nameless, named]) assert.deepEqual(await sizes(patch, app), [size, size])
  assert.deepEqual(await sizes(merging('name: other'), named), ['big', 'small'])
  assert.deepEqual(await sizes(merging('kind: ConfigMap'), nameless), ['big', 'bigger'])
})

test('does not run a plugin for a virtual resource that a patch deletes', async () => {
  const deleting = `- patch: ${JSON.stringify(`${APP}$patch: delete\n`)}\n`
  for (const more of ['', json('/size', 'name: .*', 'add').replace('size', 'metadata/namespace')]) {
    const { output, requests } = await seen(`patches:\n${deleting}${more}`, APP)
    assert.deepEqual([output.includes('name: a\n'), requests], [true, []])
  }
  const { virtual } = await seen(`patches:\n${deleting}`, `${NAMELESS}---\n${APP}`)
  assert.deepEqual(virtual, [NAMELESS])
})

test('refuses a file with patches for virtual and other resources', async () => {
  const files = { 'p.yaml': `${CONFIG_MAP}---\n${APP}` }
  const { message, file, field } = await failure(seen('patches: [{path: p.yaml}]\n', APP, files))
  assert.match(message, /^no resource matches strategic merge patch "App\.v1\.team\.example\.com\/app\.\[noNs\]"/)
  assert.deepEqual([file, field], ['p.yaml', 'patches'])
})

test('reports an invalid patch like without plugins', async () => {
  for (const patch of [
    '{path: missing.yaml}',
    '{patch: no patch}',
    '{target: {kind: App}}',
    `{patch: '[{"op": "remove", "path": "/x"}]'}`,
    `{patch: ${JSON.stringify(configMap('nobody'))}}`,
  ]) {
    const files = { 'kustomization.yaml': `resources: [a.yaml]\npatches: [${patch}]\n`, 'a.yaml': CONFIG_MAP }
    assert.deepEqual(await failure(seen(`patches: [${patch}]\n`, APP)), await failure(buildTree(memoryTree(files), '')))
  }
})

test('names the file of a virtual resource that can not be patched', async () => {
  const patches = `patches:\n${json('/x/y', 'kind: App')}`
  assert.equal((await failure(seen(patches, APP))).file, 'app.yaml')
  const inline = `generators: [${JSON.stringify(APP)}]\n${patches}`
  assert.equal((await failure(seen(inline, '# nothing\n'))).file, 'kustomization.yaml')
})

test('reads what is not for the plugins of groups as kustomize does', async () => {
  const prefix = 'apiVersion: builtin\nkind: PrefixTransformer\nprefix: p-\nfieldSpecs: [{path: metadata/name}]\n'
  const named = `${prefix}metadata: {name: p}\n`
  for (const app of [prefix, `${NAMELESS}---\n${named}`, `${named}---\n${NAMELESS}`])
    assert.match((await failure(seen('', app))).message, /missing metadata\.name in object/)
  for (const app of [`${APP}---\n${named}`, `${named}---\n${APP}`]) {
    const { output, virtual } = await seen('', app)
    assert.deepEqual([output, virtual], [configMap('p-a'), [APP]])
  }
  for (const app of ['', '# nothing\n']) assert.deepEqual((await seen('', app)).requests, [])
})
