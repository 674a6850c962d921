/** What `.ci/release` makes, used as by somebody who installed it. Needs the registry, or what `npm ci` left in npm's cache. */
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { command, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { freePorts } from '../bed/free-ports.ts'
import { disposableDir, type FileTree, tempDir } from '../bed/temp-dir.ts'
import { binOf, cannotConfine, imageCommands, placed, startConfined, stopped } from './image.ts'

const root = join(import.meta.dirname, '../..')
const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const app = {
  'kustomization.yaml': 'resources: [cm.yaml]\nnamePrefix: web-\n',
  'cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n',
} satisfies FileTree
const built = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web-settings\n'

suite('a release', () => {
  const dir = disposableDir()
  const home = join(dir.path, 'home')
  const inHome = { cwd: home }
  const released = (ending: string): string => join(dir.path, `keelson-${version}${ending}`)
  after(() => dir[Symbol.asyncDispose]())

  before(() => command(join(root, '.ci/release'), [dir.path, home]))

  test('is a package of JavaScript with its types, documents and licences, and nothing that only its makers need', async () => {
    const files = (await command('tar', ['-tzf', released('.tgz')])).trim().split('\n')
    const built = /^package\/dist\/(.*(\.c?js|\.d\.ts|\.json)|console\/[^/]+\.(html|css|svg|LEGAL\.txt))$/
    const others = files.filter(path => !built.test(path) && !path.startsWith('package/docs/'))
    assert.deepEqual(others.sort(), [
      'package/LICENSE',
      'package/README.md',
      'package/dist/THIRD-PARTY.txt',
      'package/lib/cli/keelson.js',
      'package/package.json',
    ])
    const notices = await command('tar', ['-xzOf', released('.tgz'), 'package/dist/THIRD-PARTY.txt'])
    for (const bundled of ['preact', 'openpgp']) assert.match(notices, new RegExp(`^${bundled} \\d`, 'm'))
  })

  test('brings the command', async () => {
    assert.equal((await command('npx', ['keelson', '--version'], inHome)).trim(), version)
    assert.equal(await command('npx', ['keelson', 'kustomize', tempDir(app)], inHome), built)
    const chart = tempDir({ 'Chart.yaml': 'name: web\nversion: 1.0.0\n', 'templates/cm.yaml': app['cm.yaml'] })
    const template = ['keelson', 'helm', 'template', chart]
    for (const start of ['first, which compiles', 'second, from what the first kept'])
      assert.match(
        await command('npx', template, inHome),
        /^# Source: web\/templates\/cm.yaml\napiVersion: v1$/m,
        start,
      )
  })

  test('starts a hub that reconciles its sample', async () => {
    const serve = ['keelson', 'serve', '--once', '--data', join(tempDir(), 'hub'), '--port', '0', '--edge-port', '0']
    const { exitCode, stdout, stderr } = await ending('npx', serve, inHome)
    assert.equal(exitCode, 0, stdout + stderr)
  })

  test('runs as in its image: without rights, on a read-only root, healthy by its own check, and it ends when told to', {
    skip: cannotConfine(),
  }, async t => {
    const { start, healthCheck } = imageCommands(join(root, 'docs/embedded/Dockerfile'))
    for (const path of [dir.path, home]) chmodSync(path, 0o755)
    const place = disposableDir()
    t.after(() => place[Symbol.asyncDispose]())
    chmodSync(place.path, 0o755)
    const data = join(place.path, 'data')
    const [port = 0, edgePort, consolePort] = await freePorts(3)
    const ports = ['--port', port, '--edge-port', edgePort, '--console-port', consolePort].map(String)
    const begun = performance.now()
    const hub = startConfined([...placed(start, data, port), ...ports], data, binOf(home))
    t.after(() => hub.kill('SIGKILL'))
    const [check = '', ...args] = placed(healthCheck, data, port)
    assert.notEqual((await ending(check, args)).exitCode, 0, 'the check passes before the hub is there')
    await eventually(async () => {
      assert.equal(hub.exitCode, null, 'the hub has ended')
      assert.equal((await ending(check, args)).exitCode, 0)
    })
    const seconds = (performance.now() - begun) / 1000
    const size = Math.round(bytesIn(join(home, 'node_modules')) / 1e6)
    t.diagnostic(
      `installed ${size} MB, package ${Math.round(statSync(released('.tgz')).size / 1e6)} MB, healthy after ${seconds.toFixed(1)} s`,
    )
    assert.equal(await stopped(hub), 0)
  })

  test('is a library with types', async () => {
    const project = tempDir({
      'package.json': '{"type": "module"}',
      'use.ts': `
        import { build, printResources } from 'keelson/kustomize'
        import { parseConstraint } from 'keelson/semver/constraint'
        import { parseVersion } from 'keelson/semver/version'

        const files = new Map(Object.entries(${JSON.stringify(app)}))
        const tree = {
          read: (path: string) => (files.has(path) ? new TextEncoder().encode(files.get(path)) : undefined),
          list: (path: string) => (path === '' ? [...files.keys()].sort() : undefined),
        }
        const { resources } = await build(tree, '')
        if (parseConstraint('~1.2').matches(parseVersion('1.2.3'))) process.stdout.write(printResources(resources))
      `,
    })
    symlinkSync(join(home, 'node_modules'), join(project, 'node_modules'))
    const nodeTypes = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
    const options = ['--module', 'nodenext', '--target', 'es2024', '--strict', ...nodeTypes]
    await command(join(root, 'node_modules/.bin/tsc'), [...options, 'use.ts'], { cwd: project })
    assert.equal(await command(process.execPath, ['use.js'], { cwd: project }), built)
  })

  test('lists its contents', () => {
    const { components } = JSON.parse(readFileSync(released('.cdx.json'), 'utf8'))
    const named = new Set(components.map((component: { purl: string }) => component.purl.replace(/@[^@]*$/, '')))
    const wanted = ['keelson', ...Object.keys(dependencies)].map(name => `pkg:npm/${name.replace('@', '%40')}`)
    assert.deepEqual(
      wanted.filter(name => !named.has(name)),
      [],
    )
  })
})

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
