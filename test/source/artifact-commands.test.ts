import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ending } from '../bed/command.ts'
import { program } from '../bed/keelson-program.ts'
import { needsSigners, signers } from '../bed/signers-binary.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { openOciWorld, openRegistry } from './oci/oci-world.ts'

const auth = { username: 'writer', password: 'pass:word' }

/** Runs keelson with nothing of the user's: the login is in the folder. */
const openShell = () => {
  const folder = endWithTest(disposableDir()).path
  const at = (path: string) => join(folder, path)
  const write = (path: string, content: string) => {
    mkdirSync(join(at(path), '..'), { recursive: true })
    writeFileSync(at(path), content)
  }
  const keelson = (args: readonly string[], input = '') =>
    ending(process.execPath, [program, ...args], {
      input,
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, DOCKER_CONFIG: at('docker') },
    })
  return { at, write, keelson }
}

const about = ['--source', 'https://git.example/app', '--revision', 'main@sha1:abc']

test('pushes a folder, which an OCIRepository reads and pull gets back', async () => {
  const registry = await openRegistry({ auth })
  const { host } = registry.server
  const { at, write, keelson } = openShell()
  write(
    'docker/config.json',
    JSON.stringify({ auths: { [host]: { auth: btoa(`${auth.username}:${auth.password}`) } } }),
  )
  write('app/a.yaml', 'a: 1')
  write('app/sub/run.sh', '#!/bin/sh')
  write('app/picture.png', 'x')
  write('app/secret/b.yaml', 'b: 2')
  symlinkSync('a.yaml', at('app/link.yaml'))
  const url = `oci://${host}/team/app:1.0.0`
  const pushed = await keelson([
    'push',
    'artifact',
    url,
    '--path',
    'app',
    ...about,
    '--add-ignore-paths',
    'secret/',
    '-a',
    'x=y',
  ])
  assert.equal(pushed.exitCode, 0, pushed.stderr)
  assert.match(
    pushed.stderr,
    new RegExp(
      `► pushing artifact to ${host}/team/app:1.0.0\n✔ artifact successfully pushed to ${host}/team/app@sha256:\\w{64}\n`,
    ),
  )
  const digest = /sha256:\w+/.exec(pushed.stderr)![0]

  const tagged = await keelson(['tag', 'artifact', url, '--tag', 'latest,stable', '--tag', 'v1'])
  assert.equal(
    tagged.stderr,
    `► tagging artifact\n${['latest', 'stable', 'v1'].map(tag => `✔ artifact tagged as ${host}/team/app:${tag}\n`).join('')}`,
  )
  const listed = await keelson(['list', 'artifacts', `oci://${host}/team/app`, '--filter-regex', '^(l|1)'])
  assert.equal(listed.exitCode, 0, listed.stderr)
  const row = (tag: string) =>
    `${`${host}/team/app:${tag}`}   ${digest}   https://git.example/app   main@sha1:abc`.replace(/ +/g, ' ')
  assert.deepEqual(listed.stdout.replace(/ +/g, ' ').split('\n').slice(1, 3), [row('latest'), row('1.0.0')])
  const versions = await keelson(['list', 'artifacts', `oci://${host}/team/app`, '--filter-semver', '>=1'])
  assert.equal(versions.stdout.split('\n').length, 3) // v1 is no whole version

  mkdirSync(at('out'))
  const pulled = await keelson(['pull', 'artifact', `oci://${host}/team/app@${digest}`, '-o', 'out'])
  assert.equal(pulled.exitCode, 0, pulled.stderr)
  assert.match(pulled.stderr, /✔ source https:\/\/git.example\/app\n✔ revision main@sha1:abc\n✔ digest sha256:/)
  assert.equal(readFileSync(at('out/sub/run.sh'), 'utf8'), '#!/bin/sh')

  const world = await openOciWorld()
  await world.create('Secret', 'login', {
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': readFileSync(at('docker/config.json'), 'utf8') },
  })
  await world.applies('app', { url: `oci://${host}/team/app`, secretRef: { name: 'login' } })
  assert.deepEqual(await world.files('app'), { 'a.yaml': 'a: 1', 'sub/run.sh': '#!/bin/sh' })
  const { artifact } = (await world.statusOf('app'))!
  assert.equal(artifact!.revision, `latest@${digest}`)
  assert.equal(artifact!.metadata!['org.opencontainers.image.revision'], 'main@sha1:abc')
  assert.equal(artifact!.metadata!.x, 'y')
})

test('pushes its input, reproducibly, and prints the result as JSON or YAML', async () => {
  const registry = await openRegistry({ auth })
  const { host } = registry.server
  const { keelson } = openShell()
  const args = ['push', 'artifact', `oci://${host}/app:1`, '-f', '-', ...about, '--reproducible']
  const creds = ['--creds', `${auth.username}:${auth.password}`]
  const first = await keelson([...args, ...creds, '-o', 'json'], 'a: 1')
  const { digest, ...rest } = JSON.parse(first.stdout)
  assert.deepEqual(rest, { url: `oci://${host}/app@${digest}`, repository: `${host}/app`, tag: '1' })
  const second = await keelson([...args, ...creds, '-o', 'yaml'], 'a: 1')
  assert.match(second.stdout, new RegExp(`^digest: ${digest}$`, 'm'))
  const refused = await keelson([...args, '--creds', 'writer:wrong'], 'a: 1')
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stderr, /^► pushing artifact to [^\n]+\n✗ [^\n]*UNAUTHORIZED[^\n]*\n$/)
})

test('reports an invalid request in one line', async () => {
  const { at, keelson } = openShell()
  mkdirSync(at('app'))
  const lines = {
    'is not an artifact': ['pull', 'artifact', 'https://host/app', '-o', 'app'],
    'no such folder': ['pull', 'artifact', 'oci://127.0.0.1:9/app', '-o', 'nowhere'],
    'connection refused': ['list', 'artifacts', 'oci://127.0.0.1:9/app'],
    'must point to an existing': ['push', 'artifact', 'oci://127.0.0.1:9/app', '-f', 'nowhere', ...about],
    'not to a digest': ['push', 'artifact', `oci://h.example/app@sha256:${'0'.repeat(64)}`, '-f', 'app', ...about],
    'key=value': ['push', 'artifact', 'oci://127.0.0.1:9/app', '-f', 'app', ...about, '-a', 'x'],
    'is not a tag': ['tag', 'artifact', 'oci://127.0.0.1:9/app', '--tag', 'a b'],
    'parse error': ['list', 'artifacts', 'oci://127.0.0.1:9/app', '--filter-semver', 'one'],
  }
  for (const [words, args] of Object.entries(lines)) {
    const { exitCode, stderr } = await keelson(args)
    assert.equal(exitCode, 1, stderr)
    assert.ok(stderr.includes(words), `${words}: ${stderr}`)
    assert.match(stderr, /^(►[^\n]*\n)?✗ [^\n]+\n$/)
  }
})

test('crane finds in order what is pushed', needsSigners(), async () => {
  const registry = await openRegistry()
  const { write, keelson, at } = openShell()
  write('app/a.yaml', 'a: 1')
  const name = `${registry.server.host}/app:1`
  const pushed = await keelson(['push', 'artifact', `oci://${name}`, '-f', 'app', ...about])
  assert.equal(pushed.exitCode, 0, pushed.stderr)
  await signers(['crane', 'validate', '--remote', name])
  const { config } = JSON.parse((await signers(['crane', 'manifest', name])).stdout.toString())
  assert.equal(config.mediaType, 'application/vnd.cncf.flux.config.v1+json')
  await signers(['crane', 'export', name, at('files.tar')])
  assert.match((await ending('tar', ['-tf', at('files.tar')])).stdout, /^a\.yaml$/m)
})
