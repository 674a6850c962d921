import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  APP,
  CONFIG_MAP,
  echoes,
  GROUP,
  generates,
  generating,
  pluginScene,
  prints,
  transforming,
} from './plugin-scene.ts'

/** Notes on the ConfigMap what transform got to see of its names, labels and virtual resource. */
const notes = `input=$(cat)
names=$(echo "$input" | sed -n 's/^  name: //p' | xargs)
size=$(echo "$input" | sed -n 's/^size: //p')
label=$(echo "$input" | sed -n 's/^    team: //p' | xargs)
echo "$input" | sed -n '/^---/,$p' | sed 1d
echo "data: {names: '$names', size: '$size', label: '$label'}"`

const seen = (output: string): Record<string, string> =>
  Object.fromEntries([...output.matchAll(/^ {2}(names|size|label): (.*)$/gm)].map(([, name, text]) => [name!, text!]))

test('KX-044: a file that is missing in either list fails the build, whatever the other list holds', async () => {
  const { install, build } = pluginScene()
  install(generates())
  for (const lists of [
    'generators: [missing.yaml]\ntransformers: [app.yaml]',
    'generators: [app.yaml]\ntransformers: [missing.yaml]',
  ])
    await assert.rejects(
      build({ ...generating, 'kustomization.yaml': `resources: [a.yaml]\n${lists}\n` }),
      /missing\.yaml/,
    )
})

test('KX-045 KX-046: a patch that names a virtual resource changes it before its plugin sees it', async () => {
  const { install, build } = pluginScene()
  install(notes)
  const patched = (patch: string): Promise<string> =>
    build({ ...transforming, 'kustomization.yaml': `${transforming['kustomization.yaml']}patches:\n- ${patch}\n` })
  assert.equal(seen(await build(transforming)).size, 'big')
  const merge = JSON.stringify(`${APP.replace('big', 'small')}`)
  assert.equal(seen(await patched(`patch: ${merge}`)).size, 'small')
  const operations = `'[{"op": "replace", "path": "/size", "value": "huge"}]'`
  assert.equal(seen(await patched(`{patch: ${operations}, target: {kind: App}}`)).size, 'huge')
})

test('KX-047 KX-048 KX-049: bases and built-in generators come first, plugins add to them, and then transform all of it', async () => {
  const { install, build } = pluginScene()
  install(`if [ "$1" = generate ]; then ${prints('made')}\nelse sed -n '/^---/,$p' | sed 1d | cat >&2; exit 9\nfi`)
  const files = {
    'app/kustomization.yaml':
      'resources: [../base]\nconfigMapGenerator: [{name: built-in, literals: [a=b]}]\ngenerators: [app.yaml]\n',
    'app/app.yaml': APP,
    'base/kustomization.yaml': 'resources: [a.yaml]\n',
    'base/a.yaml': CONFIG_MAP,
  }
  await assert.rejects(build(files), /name: a\n.*name: built-in\n.*name: made: failure in plugin .* transform/s)
})

const prefixed = {
  ...transforming,
  'kustomization.yaml': `namePrefix: p-\ncommonLabels: {team: blue}\n${transforming['kustomization.yaml']}`,
}

test('KX-050: built-in transformers and patches come after plugins', async () => {
  const { install, build } = pluginScene()
  install(notes)
  const patch =
    'patches:\n- {patch: \'[{"op": "add", "path": "/data/late", "value": "yes"}]\', target: {kind: ConfigMap}}\n'
  const output = await build({ ...prefixed, 'kustomization.yaml': prefixed['kustomization.yaml'] + patch })
  assert.deepEqual(seen(output), { names: 'app a', size: 'big', label: '""' })
  assert.match(output, /late: "yes"/)
  assert.match(output, /team: blue\n {2}name: p-a\n/)
})

test('KX-051: sorting comes last', async () => {
  const { install, build } = pluginScene()
  install(generates('printf "apiVersion: v1\\nkind: Namespace\\nmetadata:\\n  name: n\\n"'))
  const kinds = async (reorder: 'none' | 'legacy') => (await build(generating, {}, { reorder })).match(/^kind: \w+/gm)
  assert.deepEqual(await kinds('none'), ['kind: ConfigMap', 'kind: Namespace'])
  assert.deepEqual(await kinds('legacy'), ['kind: Namespace', 'kind: ConfigMap'])
})

test('KX-052: plugins run in the order of the list', async () => {
  const { install, build } = pluginScene()
  const other = 'other.example.com'
  install(generates(prints('one')))
  install(generates(prints('two')), `plugins/${other}`)
  const files = { ...generating, 'other.yaml': APP.replace(GROUP, other) }
  const order = async (list: string) =>
    (await build({ ...files, 'kustomization.yaml': `generators: [${list}]\n` }, { groups: [GROUP, other] })).match(
      /one|two/g,
    )
  assert.deepEqual(await order('app.yaml, other.yaml'), ['one', 'two'])
  assert.deepEqual(await order('other.yaml, app.yaml'), ['two', 'one'])
})

test('KX-054: with the option plugins transform after what is built in, in the order of the list', async () => {
  const { install, build } = pluginScene()
  install(notes)
  const output = await build(prefixed, { transform: 'after-builtin' })
  assert.deepEqual(seen(output), { names: 'app p-a', size: 'big', label: 'blue' })
  const other = 'other.example.com'
  install(echoes('data: {last: one}'))
  install(
    `input=$(cat); echo "$input" | grep -q 'last: one'; found=$?\necho "$input" | sed -n '/^---/,$p' | sed 1d | sed '/^data:/d; /^  last:/d'\necho "data: {found: '$found'}"`,
    `plugins/${other}`,
  )
  const files = {
    ...transforming,
    'other.yaml': APP.replace(GROUP, other),
    'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [app.yaml, other.yaml]\n',
  }
  assert.match(await build(files, { transform: 'after-builtin', groups: [GROUP, other] }), /found: "0"/)
})
