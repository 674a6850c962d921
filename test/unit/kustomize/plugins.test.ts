import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pluginRunner } from '../../../lib/adapters/embedded/plugin-runner.ts'
import { type BuildOptions, build, printResources } from '../../../lib/kustomize/build.ts'
import { memoryTree } from '../../conformance/memory-tree.ts'

const home = mkdtempSync(join(tmpdir(), 'keelson-plugins-'))
after(() => rmSync(home, { recursive: true }))

const GROUP = 'team.example.com'
const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n'
const APP = `groupVersion: ${GROUP}/v1beta1\nkind: CommonApp\ngenerate:\n  size: big\n`

/** Installs a shell script as the plugin of the group. */
const install = (script: string, mode = 0o755): void => {
  mkdirSync(join(home, 'plugins'), { recursive: true })
  writeFileSync(join(home, 'plugins', GROUP), `#!/bin/sh\n${script}\n`)
  chmodSync(join(home, 'plugins', GROUP), mode)
}

const runner = pluginRunner({
  home,
  timeoutMs: 5000,
  maxOutputBytes: 100_000,
  environment: { ...process.env, MY_TOKEN: 'secret' },
})

const output = async (
  files: Record<string, string>,
  options: BuildOptions = { plugins: { runner, groups: [GROUP] } },
) => printResources((await build(memoryTree(files), '', options)).resources)

const generating = {
  'kustomization.yaml': 'resources: [a.yaml]\ngenerators: [app.yaml]\n',
  'a.yaml': CONFIG_MAP,
  'app.yaml': APP,
}
const transforming = {
  'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [app.yaml]\n',
  'a.yaml': CONFIG_MAP,
  'app.yaml': APP,
}

test('runs no plugin unless its group is allowed', async () => {
  install('exit 0')
  await assert.rejects(
    output(generating, {}),
    /missing kind|external plugins disabled|missing Resource metadata|missing metadata.name/,
  )
})

test('adds what a plugin generates, and asks it to transform as well', async () => {
  install(
    'if [ "$1" = generate ]; then echo "apiVersion: v1"; echo "kind: Secret"; echo "metadata: {name: made}"; else exit 127; fi',
  )
  assert.equal(await output(generating), `${CONFIG_MAP}---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: made\n`)
})

test('gives a plugin its virtual resources, then all others, and takes back what it returns', async () => {
  install('echo "$1" >&2; sed -n "/^---/,\\$p" | sed 1d; echo "data: {seen: \\"$1\\"}"')
  assert.equal(
    await output(transforming),
    'apiVersion: v1\ndata:\n  seen: transform\nkind: ConfigMap\nmetadata:\n  name: a\n',
  )
})

test('refuses that a plugin adds, removes or renames objects', async () => {
  install('echo "apiVersion: v1"; echo "kind: ConfigMap"; echo "metadata: {name: other}"')
  await assert.rejects(
    output(transforming),
    /may not add, remove or rename resources, but added .*other.*, removed .*a\.\[noNs\]/,
  )
})

test('tells what a failing plugin wrote', async () => {
  install('echo "no such size" >&2; exit 3')
  await assert.rejects(output(generating), /no such size: failure in plugin team.example.com generate; exit status 3/)
})

test('demands of a listed transformer that it can transform', async () => {
  install('exit 127')
  await assert.rejects(output(transforming), /listed under transformers but does not support transform/)
})

test('names a plugin that is not executable', async () => {
  install('exit 0', 0o644)
  await assert.rejects(output(generating), /unexecutable plugin at: .*team\.example\.com/)
})

test('ends a plugin that takes too long or writes too much', async () => {
  install('yes')
  await assert.rejects(output(generating), /wrote more than 100000 bytes/)
  install('sleep 30')
  const hasty = pluginRunner({ home, timeoutMs: 100 })
  await assert.rejects(output(generating, { plugins: { runner: hasty, groups: [GROUP] } }), /timed out after 100 ms/)
})

test('keeps credentials and other directories from a plugin', async () => {
  install(
    'if [ "$1" = transform ]; then exit 127; fi; echo "apiVersion: v1"; echo "kind: ConfigMap"; echo "metadata: {name: b}"; echo "data: {token: \\"$MY_TOKEN\\", files: \\"$(ls | tr \'\\n\' \' \')\\", up: \\"$(ls .. | grep -c kustomization)\\"}"',
  )
  const result = await output(generating)
  assert.match(result, /token: ""/)
  assert.match(result, /files: 'a.yaml app.yaml kustomization.yaml '/)
  assert.match(result, /up: "0"/)
})

test('runs a function of the tree when those are allowed', async () => {
  const files = {
    'kustomization.yaml': 'generators: [f.yaml]\n',
    'f.yaml':
      'apiVersion: x/v1\nkind: F\nmetadata:\n  name: f\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./f.sh}\n',
    'f.sh': '#!/bin/sh\ncat >/dev/null; echo "apiVersion: v1"; echo "kind: ConfigMap"; echo "metadata: {name: a}"\n',
  }
  await assert.rejects(output(files), /functions are disabled/)
  assert.equal(await output(files, { plugins: { runner, localFunctions: true } }), CONFIG_MAP)
})

test('runs plugins twice in strict mode, and refuses one that is not repeatable', async () => {
  const strict = { plugins: { runner, groups: [GROUP], strict: true } }
  const made = (name: string) =>
    `if [ "$1" = transform ]; then exit 127; fi; printf 'apiVersion: v1\\nkind: Secret\\nmetadata:\\n  name: %s\\n' ${name}`
  install(made('made'))
  assert.match(await output(generating, strict), /name: made/)
  install(made('"n$$"'))
  assert.match(await output(generating), /name: n\d+/)
  await assert.rejects(output(generating, strict), /two runs with the same input gave different output/)
})

test('runs only plugins that have the pinned digest', async () => {
  install('exit 127')
  const path = `plugins/${GROUP}`
  const digest = createHash('sha256')
    .update(readFileSync(join(home, path)))
    .digest('hex')
  const pinned = (value: string) => ({
    plugins: { runner: pluginRunner({ home, digests: { [path]: value } }), groups: [GROUP] },
  })
  assert.equal(await output(generating, pinned(digest)), CONFIG_MAP)
  await assert.rejects(output(generating, pinned('0'.repeat(64))), /does not have the digest that is pinned/)
})
