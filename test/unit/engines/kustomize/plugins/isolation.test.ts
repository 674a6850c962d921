import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { CONFIG_MAP, GROUP, generates, generating, pluginScene, prints } from './plugin-scene.ts'

/** What a plugin finds out, as the data of a ConfigMap. */
const tells = (facts: Readonly<Record<string, string>>): string =>
  generates(prints('told', 'data:', ...Object.entries(facts).map(([name, shell]) => `  ${name}: "$(${shell})"`)))

test('KX-037: a plugin works in the directory of the kustomization that lists it', async () => {
  const { install, build } = pluginScene()
  install(tells({ files: 'ls | xargs', settings: 'cat sub/settings.txt' }))
  const output = await build({ ...generating, 'sub/settings.txt': 'from below' })
  assert.match(output, /files: a\.yaml app\.yaml kustomization\.yaml sub\n {2}settings: from below\n/)
})

test('KX-037 KX-053: nested kustomizations run their plugins in their own directories', async () => {
  const { install, build } = pluginScene()
  install(generates(prints('$(cat name.txt)')))
  const one = (name: string, resources = '') => ({
    [`${name}/kustomization.yaml`]: `${resources}generators: [app.yaml]\n`,
    [`${name}/app.yaml`]: generating['app.yaml']!,
    [`${name}/name.txt`]: name,
  })
  const output = await build({ ...one('base'), ...one('app', 'resources: [../base]\n') })
  assert.deepEqual(output.match(/name: \w+/g), ['name: base', 'name: app'])
})

test('KX-038: no path that leads upwards finds anything of the tree', async () => {
  const { install, build } = pluginScene()
  install(tells({ beside: 'ls .. | xargs', above: 'cat ../secret.txt 2>/dev/null || echo nothing' }))
  const files = {
    'secret.txt': 'secret',
    'app/kustomization.yaml': 'generators: [app.yaml]\n',
    'app/app.yaml': generating['app.yaml']!,
  }
  assert.match(await build(files), /above: nothing\n {2}beside: work\n/)
})

test('KX-039: a plugin inherits the environment without what looks like a credential', async () => {
  const environment = {
    PATH: process.env.PATH,
    COLOUR: 'blue',
    MY_TOKEN: 't',
    DB_PASSWORD: 'p',
    SSH_AUTH_SOCK: 's',
    API_KEY: 'k',
  }
  const { install, build } = pluginScene({ environment })
  install(tells({ colour: 'echo $COLOUR', secrets: 'echo $MY_TOKEN$DB_PASSWORD$SSH_AUTH_SOCK$API_KEY' }))
  assert.match(await build(generating), /colour: blue\n {2}secrets: ""\n/)
})

test('KX-040: a plugin leaves nothing behind: builds for diff and apply are equal', async () => {
  const { install, build } = pluginScene()
  install(
    generates(
      'left=$(ls -A | xargs)',
      'date +%N > left-behind',
      'echo changed > app.yaml',
      prints('told', 'data:', '  left: "$left"'),
    ),
  )
  const files = { ...generating }
  const dryRun = await build(files)
  assert.match(dryRun, /left: a\.yaml app\.yaml kustomization\.yaml\n/)
  assert.equal(await build(files), dryRun)
  assert.deepEqual(files, generating)
  install(generates(prints('told', 'data:', '  where: "$(pwd)"')))
  const directory = /where: (\S+)/.exec(await build(files))?.[1]
  assert.ok(directory && !existsSync(join(directory, '..')), 'its working directory is gone')
})

const AWS = {
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token',
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2',
  AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/token',
}

test('KX-043: a plugin runs in a process of its own, without credentials of AWS', async () => {
  const { install, build } = pluginScene({ environment: { PATH: process.env.PATH, ...AWS } })
  install(tells({ aws: 'env | grep -c AWS', parent: 'echo $PPID', pid: 'echo $$' }))
  const output = await build(generating)
  assert.match(output, /aws: "0"\n/)
  assert.notEqual(/ pid: "(\d+)"/.exec(output)?.[1], String(process.pid))
})

/** Whether this machine lets a process leave its network. */
const canBeApart = spawnSync('unshare', ['--user', '--map-current-user', '--net', 'true']).status === 0

test('KX-043: a plugin reaches no network unless that is allowed', async () => {
  const server = createServer(socket => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as { port: number }
    const { install, build, runnerWith } = pluginScene()
    install(
      tells({
        connects: `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}' 2>/dev/null && echo indeed || echo not at all`,
      }),
    )
    assert.match(await build(generating), /connects: indeed/)
    const apart = build(generating, { runner: runnerWith({ network: false }) })
    if (canBeApart) assert.match(await apart, /connects: not at all/)
    else await assert.rejects(apart, /cannot be kept from the network on this machine/)
  } finally {
    server.close()
  }
})

test('KX-043: a program that cannot be started is reported as such, and not taken for one without the subcommand', async () => {
  const { install, build, runnerWith } = pluginScene()
  install('', `plugins/${GROUP}`)
  const { writeFileSync } = await import('node:fs')
  writeFileSync(join(runnerWith({}).locate(`plugins/${GROUP}`)!.program), '#!/no/such/interpreter\n')
  for (const network of canBeApart ? [true, false] : [true])
    await assert.rejects(
      build(generating, { runner: runnerWith({ network }) }),
      /failure in plugin team\.example\.com generate; (spawn .*ENOENT|it could not be started)/,
    )
  assert.equal(await build({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': CONFIG_MAP }), CONFIG_MAP)
})
