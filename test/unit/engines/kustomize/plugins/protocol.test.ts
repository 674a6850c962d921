import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** Writes down each call: its subcommand, and what it got. */
const recording = (log: string, script: string): string =>
  `{ echo "== $1"; tee '${log}.stdin'; } >/dev/null; { echo "== $1"; cat '${log}.stdin'; } >> '${log}'; <'${log}.stdin' ; ${script}`

test('KX-016 KX-017 KX-024 KX-025 KX-027: one call per group and phase, with all that is its and then all the others', async () => {
  const { home, install, build } = pluginScene()
  const log = join(home, 'log')
  install(recording(log, `[ "$1" = generate ] && ${prints('made')}\n[ "$1" = generate ] || exit 127`))
  const second = APP.replace('name: app', 'name: second')
  await build({
    ...generating,
    'kustomization.yaml': 'resources: [a.yaml]\ngenerators: [app.yaml, second.yaml]\n',
    'second.yaml': second,
  })
  const made = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\n'
  const virtual = `${APP}---\n${second}`
  assert.equal(
    readFileSync(log, 'utf8'),
    `== generate\n${virtual}== transform\n${virtual}---\n${CONFIG_MAP}---\n${made}`,
  )
})

test('KX-018: a plugin may generate nothing, or many', async () => {
  const { install, build } = pluginScene()
  install(generates())
  assert.equal(await build(generating), CONFIG_MAP)
  install(generates(prints('b'), 'echo ---', prints('c')))
  assert.deepEqual((await build(generating)).match(/name: \w+/g), ['name: a', 'name: b', 'name: c'])
})

test('KX-019 KX-020 KX-034: any exit code but 0 and 127 fails the build, with what was written to standard error', async () => {
  const { install, build } = pluginScene()
  install('echo "no such size" >&2; exit 3')
  await assert.rejects(build(generating), /no such size: failure in plugin team.example.com generate; exit status 3/)
  await assert.rejects(build(transforming), /no such size: failure in plugin team.example.com transform; exit status 3/)
})

test('KX-022: a virtual resource as output is refused', async () => {
  const { install, build } = pluginScene()
  install(generates(`cat <<YAML\n${APP}YAML`))
  await assert.rejects(build(generating), /returned the virtual resource App app/)
})

test('KX-023: an object that is there already fails like any duplicate', async () => {
  const { install, build } = pluginScene()
  install(generates(prints('a')))
  await assert.rejects(
    build(generating),
    /merging from generator: id .*"a".* exists; can not use behavior: 'unspecified'/,
  )
})

test('KX-026: what transform prints takes the place of everything', async () => {
  const { install, build } = pluginScene()
  install(echoes('data: {k: "1"}'))
  assert.equal(await build(transforming), `apiVersion: v1\ndata:\n  k: "1"\nkind: ConfigMap\nmetadata:\n  name: a\n`)
})

test('KX-027 KX-028 KX-033: a generator that does not transform may say so, or give back what it got', async () => {
  const { install, build } = pluginScene()
  const made = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\n'
  install(generates(prints('made')))
  assert.equal(await build(generating), `${CONFIG_MAP}---\n${made}`)
  install(`if [ "$1" = generate ]; then ${prints('made')}\nelse ${echoes()}\nfi`)
  assert.equal(await build(generating), `${CONFIG_MAP}---\n${made}`)
})

test('KX-033: a plugin that is listed under transformers must be able to transform', async () => {
  const { install, build } = pluginScene()
  install('exit 127')
  await assert.rejects(build(transforming), /listed under transformers but does not support transform/)
})

const changes: Readonly<Record<string, readonly [script: string, message: RegExp]>> = {
  'KX-029: adds an object': [`${echoes()}; echo ---; ${prints('b')}`, /but added ConfigMap\..*b\.\[noNs\]$/],
  'KX-030: removes an object': ['cat > /dev/null', /but removed ConfigMap\..*a\.\[noNs\]$/],
  'KX-031: renames an object': [prints('b'), /but added .*b\.\[noNs\], removed .*a\.\[noNs\]$/],
  'KX-031: moves an object': [prints('a', '  namespace: other'), /but added .*a\.other, removed .*a\.\[noNs\]$/],
}
for (const [title, [script, message]] of Object.entries(changes))
  test(`${title}, which a transformer may not`, async () => {
    const { install, build } = pluginScene()
    install(script)
    await assert.rejects(build(transforming), message)
  })

test('KX-032: with the option a transformer may add, remove and rename', async () => {
  const { install, build } = pluginScene()
  install(prints('b'))
  const renamed = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n'
  assert.equal(await build(transforming, { unrestricted: true }), renamed)
})

test('KX-035: output that is no YAML is refused with its line, and what is no object with the plugin', async () => {
  const { install, build } = pluginScene()
  install(generates(prints('b', 'data: [')))
  await assert.rejects(build(generating), /output of plugin team\.example\.com generate: .*yaml: line \d+: /)
  install(generates('echo "just: data"'))
  await assert.rejects(build(generating), /output of plugin team\.example\.com generate: missing Resource metadata/)
})

test('KX-036: a plugin that takes too long or writes too much is ended, with its children', async () => {
  const { install, build, runnerWith } = pluginScene()
  install('yes')
  const terse = { runner: runnerWith({ maxOutputBytes: 100_000 }) }
  await assert.rejects(build(generating, terse), /wrote more than 100000 bytes/)
  install('sleep 30 & wait')
  const hasty = { runner: runnerWith({ timeoutMs: 100 }) }
  await assert.rejects(build(generating, hasty), /timed out after 100 ms/)
})

test('KX-041: in strict mode a plugin whose output is not repeatable is refused', async () => {
  const { install, build } = pluginScene()
  install(generates(prints('made')))
  assert.match(await build(generating, { strict: true }), /name: made/)
  install(generates(prints('n$$')))
  assert.match(await build(generating), /name: n\d+/)
  await assert.rejects(build(generating, { strict: true }), /two runs with the same input gave different output/)
})

test('KX-053: groups that are not allowed for a kustomization stay off in those below it too', async () => {
  const { install, build } = pluginScene()
  install(generates(prints('made')))
  const files = { 'app/kustomization.yaml': 'resources: [../base]\n' }
  for (const [path, text] of Object.entries(generating)) Object.assign(files, { [`base/${path}`]: text })
  assert.match(await build(files), /name: made/)
  await assert.rejects(build(files, { groups: [`not-${GROUP}`] }), /external plugins disabled/)
})
