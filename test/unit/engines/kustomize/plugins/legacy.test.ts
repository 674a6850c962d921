import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitWords } from '../../../../../lib/engines/kustomize/plugins/exec/legacy-plugin.ts'
import { configMap, programs } from './fake-runner.ts'
import { APP, CONFIG_MAP, generating, transforming } from './plugin-scene.ts'

/** The layout of kustomize's alpha plugins; what they are given is as its execplugin gives it. */
const path = 'plugin/team.example.com/v1/app/App'
const installed = { [path]: {} }

test('calls a plugin of the old layout with its configuration, as a file and in the environment, and its arguments', async () => {
  const app = `${APP}argsOneLiner: one "two \\"words\\"" 'th ree' fo\\ ur\nargsFromFile: args.txt\n`
  const files = { ...generating, 'app.yaml': app, 'args.txt': '  five six\n\nseven  eight \n   \n', 'sub/more.txt': '' }
  const { build, requests } = programs(() => configMap('made'), installed)
  assert.equal(await build(files), `${CONFIG_MAP}---\n${configMap('made')}`)
  const [{ files: given, environment, ...request }] = requests as [(typeof requests)[number]]
  const config = '.kustomize-plugin-config.yaml'
  assert.deepEqual(request, {
    program: { installed: `/home/${path}` },
    args: [config, 'one', 'two "words"', 'th ree', 'fo ur', 'five six', 'seven  eight '],
    stdin: '',
  })
  const text = Buffer.from(given.get(config)!).toString()
  assert.deepEqual(environment, { KUSTOMIZE_PLUGIN_CONFIG_STRING: text, KUSTOMIZE_PLUGIN_CONFIG_ROOT: '.' })
  assert.match(text, /^apiVersion: team\.example\.com\/v1\nargsFromFile: args.txt\n.*\nsize: big\n$/s)
  assert.deepEqual(
    [...given.keys()].sort(),
    [config, 'a.yaml', 'app.yaml', 'args.txt', 'kustomization.yaml', 'sub/more.txt'].sort(),
  )
})

test('has no arguments if the configuration has none', async () => {
  const { build, requests } = programs(() => '', installed)
  await build({ ...generating, 'app.yaml': `${APP}argsOneLiner: 5\nargsFromFile: [x]\n` })
  assert.deepEqual(requests[0]!.args, ['.kustomize-plugin-config.yaml'])
})

test('gives a plugin that transforms all resources with their ids, and takes those away afterwards', async () => {
  const files = {
    ...transforming,
    'kustomization.yaml': 'resources: [a.yaml, b.yaml]\nnamePrefix: p-\nnamespace: ns1\ntransformers: [app.yaml]\n',
    'b.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: b\n  annotations: {own: "1"}\n',
  }
  const { build, requests } = programs(({ stdin }) => stdin.replaceAll('own: "1"', 'own: "2"'), installed)
  const a = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: p-a\n  namespace: ns1\n'
  const b = (own: string, id = ''): string =>
    `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  annotations:\n${id}    own: "${own}"\n  name: p-b\n  namespace: ns1\n`
  assert.equal(await build(files), `${a}---\n${b('2')}`)
  const id = (text: string): string => `    kustomize.config.k8s.io/id: |\n      ${text.replaceAll('\n', '\n      ')}\n`
  assert.equal(
    requests[0]!.stdin,
    `${a.replace('metadata:\n', `metadata:\n  annotations:\n${id('version: v1\nkind: ConfigMap\nname: p-a\nnamespace: ns1')}`)}---\n${b('1', id('group: apps\nversion: v1\nkind: Deployment\nname: p-b\nnamespace: ns1'))}`,
  )
})

test('says how a plugin of the old layout failed, or why it may not run', async () => {
  const failing = (outcome: object, plugin: object = {}, files = generating) =>
    programs(() => outcome, { [path]: plugin }).build(files)
  await assert.rejects(failing({ exitCode: 127 }), { message: `failure in plugin ${path}; exit status 127` })
  await assert.rejects(failing({ exitCode: 3, stderr: 'no\n' }), {
    message: `no: failure in plugin ${path}; exit status 3`,
  })
  await assert.rejects(failing({ stdout: `${configMap('a')}---\n${configMap('a')}` }, {}, transforming), {
    message: `plugin ${path} generated duplicate resource: ConfigMap.v1.[noGrp]/a.[noNs]`,
  })
  await assert.rejects(failing({}, { problem: 'pinned to another' }, transforming), {
    message: 'pinned to another',
    file: 'app.yaml',
  })
  await assert.rejects(failing({}, { executable: false }, transforming), {
    message: `unexecutable plugin at: /home/${path}`,
    file: 'app.yaml',
  })
})

test('names the file of a configuration whose plugin is missing, or makes what can not be had', async () => {
  for (const [files, field] of [
    [generating, 'generators'],
    [transforming, 'transformers'],
  ] as const)
    await assert.rejects(programs(() => '').build(files), {
      message: /no plugin found for API group team\.example\.com: plugins\/team\.example\.com not found$/,
      ...{ file: 'app.yaml', field },
    })
  const merging = configMap('b', '  annotations: {kustomize.config.k8s.io/behavior: merge}')
  await assert.rejects(programs(() => merging, installed).build(generating), { file: 'app.yaml', field: 'behavior' })
})

test('finds a plugin of the old layout whose configuration names no group or version', async () => {
  const { build } = programs(() => configMap('made'), { 'plugin/v1/app/App': {}, 'plugin/app/App': {} })
  for (const version of ['apiVersion: v1\n', ''])
    assert.equal(
      await build({ ...generating, 'app.yaml': APP.replace(/apiVersion.*\n/, version) }, { groups: [''] }),
      `${CONFIG_MAP}---\n${configMap('made')}`,
    )
})

test('splits arguments as a shell does', () => {
  const words: readonly (readonly [text: string, words: readonly string[]])[] = [
    ['', []],
    ['  a\tb\n c ', ['a', 'b', 'c']],
    [`"a b" 'c d' e\\ f`, ['a b', 'c d', 'e f']],
    [`a"b c"d'e f'g`, ['ab cde fg']],
    [`"a\\"b" 'a\\b' "a\\\\b" "a\\nb" \\"`, ['a"b', 'a\\b', 'a\\b', 'a\\nb', '"']],
    [`"" ''`, ['', '']],
    [`"it's" 'say "x"'`, ["it's", 'say "x"']],
  ]
  for (const [text, expected] of words) assert.deepEqual(splitWords(text), expected, text)
})

test('refuses a validator that adds a resource', async () => {
  const files = { ...generating, 'kustomization.yaml': 'resources: [a.yaml]\nvalidators: [app.yaml]\n' }
  const validating = (print: (stdin: string) => string) => programs(({ stdin }) => print(stdin), installed).build(files)
  assert.equal(await validating(stdin => stdin), CONFIG_MAP)
  await assert.rejects(
    validating(stdin => `${stdin}---\n${configMap('more')}`),
    {
      message: "validator shouldn't modify the resource map: lists have different number of entries",
    },
  )
})
