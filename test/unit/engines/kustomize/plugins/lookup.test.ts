import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { build } from '../../../../../lib/engines/kustomize/build.ts'
import { pluginRunner } from '../../../../../lib/platform/adapters/embedded/plugin-runner.ts'
import { memoryTree } from '../../../../conformance/memory-tree.ts'
import { APP, CONFIG_MAP, GROUP, generates, generating, pluginScene, prints, transforming } from './plugin-scene.ts'

const MADE = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\n'

test('KX-001 KX-004 KX-007 KX-008 KX-021: generators names files for the plugin of their group, which adds to the output', async () => {
  const { install, build } = pluginScene()
  install(generates(prints('made')))
  assert.equal(await build(generating), `${CONFIG_MAP}---\n${MADE}`)
})

test('KX-002 KX-004: transformers names files for the plugin of their group, and none of them is in the output', async () => {
  const { install, build } = pluginScene()
  install(`sed -n '/^---/,$p' | sed 1d; echo 'data: {seen: "yes"}'`)
  assert.equal(
    await build(transforming),
    'apiVersion: v1\ndata:\n  seen: "yes"\nkind: ConfigMap\nmetadata:\n  name: a\n',
  )
})

test('KX-003: virtual resources may be written in place, or are in a directory with a kustomization', async () => {
  const { install, build } = pluginScene()
  install(generates(prints('made')))
  const inline = APP.replaceAll('\n', '\n    ').trimEnd()
  const inPlace = `resources: [a.yaml]\ngenerators:\n- |\n    ${inline}\n`
  assert.equal(await build({ ...generating, 'kustomization.yaml': inPlace }), `${CONFIG_MAP}---\n${MADE}`)
  const inDirectory = {
    'kustomization.yaml': 'resources: [a.yaml]\ngenerators: [apps]\n',
    'a.yaml': CONFIG_MAP,
    'apps/kustomization.yaml': 'resources: [app.yaml]\n',
    'apps/app.yaml': APP,
  }
  assert.equal(await build(inDirectory), `${CONFIG_MAP}---\n${MADE}`)
})

test('KX-005: empty lists, and none, change nothing', async () => {
  const { install, build } = pluginScene()
  install('exit 1')
  for (const lists of ['', 'generators: []\ntransformers: []\n'])
    assert.equal(await build({ ...generating, 'kustomization.yaml': `resources: [a.yaml]\n${lists}` }), CONFIG_MAP)
})

test('KX-006: a file that is missing, or no YAML, fails the build and is named', async () => {
  const { install, build } = pluginScene()
  install('exit 127')
  const { 'app.yaml': _, ...missing } = generating
  await assert.rejects(build(missing), /app\.yaml/)
  await assert.rejects(build({ ...generating, 'app.yaml': 'a: [\n' }), /app\.yaml/)
})

test('KX-009: without XDG_CONFIG_HOME plugins are searched for in $HOME/.config', () => {
  const { home, install } = pluginScene()
  install('exit 0', '.config/kustomize/plugins/a.example.com')
  install('exit 0', 'kustomize/plugins/a.example.com')
  const found = (environment: Record<string, string>) =>
    pluginRunner({ environment }).locate('plugins/a.example.com')?.program
  assert.equal(found({ HOME: home }), join(home, '.config/kustomize/plugins/a.example.com'))
  assert.equal(found({ HOME: home, XDG_CONFIG_HOME: '' }), join(home, '.config/kustomize/plugins/a.example.com'))
  assert.equal(found({ HOME: '/nowhere', XDG_CONFIG_HOME: home }), join(home, 'kustomize/plugins/a.example.com'))
})

test('KX-010: a group without a plugin fails the build and is named', async () => {
  const { build } = pluginScene()
  for (const files of [generating, transforming])
    await assert.rejects(build(files), /no plugin found for API group team\.example\.com/)
})

test('KX-011: a file that is not executable is reported as such; a directory is no plugin', async () => {
  const { home, install, build } = pluginScene()
  install('exit 0', `plugins/${GROUP}`, 0o644)
  await assert.rejects(build(generating), /unexecutable plugin at: .*plugins\/team\.example\.com/)
  mkdirSync(join(home, 'plugins/dir.example.com'))
  assert.equal(pluginRunner({ home }).locate('plugins/dir.example.com'), undefined)
})

test('KX-012: the group is read from apiVersion, and from groupVersion as the KEP writes it', async () => {
  const { install, build } = pluginScene()
  install(generates(prints('made')))
  const app = `groupVersion: ${GROUP}/v1beta1\nkind: CommonApp\ngenerate:\n  size: big\n`
  assert.equal(await build({ ...generating, 'app.yaml': app }), `${CONFIG_MAP}---\n${MADE}`)
})

test('KX-013: the layout that kustomize went on with, plugin/<group>/<version>/<kind>/<Kind>, works for allowed groups', async () => {
  const { install, build } = pluginScene()
  install(`grep -q 'size: big' "$1" && ${prints('made')}`, `plugin/${GROUP}/v1/app/App`)
  assert.equal(await build(generating), `${CONFIG_MAP}---\n${MADE}`)
  await assert.rejects(build(generating, { groups: [] }), /external plugins disabled/)
})

test('KX-014: functions that are programs of the tree run only when allowed, containers never', async () => {
  const { build } = pluginScene()
  const annotated = (spec: string): string =>
    `apiVersion: x/v1\nkind: F\nmetadata:\n  name: f\n  annotations:\n    config.kubernetes.io/function: |\n      ${spec}\n`
  const files = {
    'kustomization.yaml': 'generators: [f.yaml]\n',
    'f.sh': `#!/bin/sh\ncat >/dev/null\n${prints('$NAME')}\n`,
    'f.yaml': annotated('exec: {path: ./f.sh, envs: [NAME=made]}'),
  }
  await assert.rejects(build(files), /functions are disabled/)
  assert.equal(await build(files, { localFunctions: true }), MADE)
  assert.equal(
    await build(files, { localFunctions: true, functionEnvironment: ['NAME=other', 'ignored'] }),
    MADE.replace('made', 'other'),
  )
  const container = { ...files, 'f.yaml': annotated('container: {image: example.com/f, network: true}') }
  await assert.rejects(
    build(container, { localFunctions: true }),
    /couldn't execute function: network required but not enabled with --network$/,
  )
  const shownRoot = { shownRoot: '/work' }
  await assert.rejects(
    build(container, { localFunctions: true, functionNetwork: true }, shownRoot),
    /is a container function; only functions with exec can be run here/,
  )
})

test('KX-015: no plugin runs unless its group is allowed', async () => {
  const { install, build: buildAllowing } = pluginScene()
  install(generates(prints('made')))
  await assert.rejects(buildAllowing(generating, { groups: ['other.example.com'] }), /external plugins disabled/)
  await assert.rejects(build(memoryTree(generating), ''), /external plugins disabled/)
})

test('KX-042: where a digest is pinned, no other program runs', async () => {
  const { home, install, build, runnerWith } = pluginScene()
  install('exit 127')
  const path = `plugins/${GROUP}`
  const digest = createHash('sha256')
    .update(readFileSync(join(home, path)))
    .digest('hex')
  assert.equal(await build(generating, { runner: runnerWith({ digests: { [path]: digest } }) }), CONFIG_MAP)
  const other = runnerWith({ digests: { [path]: '0'.repeat(64) } })
  await assert.rejects(build(generating, { runner: other }), /does not have the digest that is pinned/)
  await assert.rejects(build(generating, { runner: runnerWith({ digests: {} }) }), /does not have the digest/)
})
