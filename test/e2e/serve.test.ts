/** `npm start` as a person meets it: the sample, a real cluster, and what goes wrong. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { type Ending, ending } from '../bed/command.ts'
import { program } from '../bed/keelson-program.ts'
import { tempDir } from '../bed/temp-dir.ts'

const env = { PATH: process.env.PATH, HOME: process.env.HOME }

const serve = (...args: readonly string[]): Promise<Ending> =>
  ending(process.execPath, [program, 'serve', '--port', '0', ...args], { env })

/** A failure that a person can act on: one line on stderr, exit code 1, no stack trace. */
const assertOneLine = ({ exitCode, stderr }: Ending, expected: RegExp): void => {
  assert.match(stderr, expected)
  assert.equal(stderr.trim().split('\n').length, 1, stderr)
  assert.equal(exitCode, 1)
}

test('--once reconciles the sample into the hub, shows how, and ends well; a second time as well', async () => {
  const data = join(tempDir(), 'data')
  const first = await serve('--once', '--data', data)
  assert.equal(first.exitCode, 0, first.stderr)
  assert.match(first.stdout, /✔ GitRepository\/flux-system\/sample {2}stored artifact for revision 'main@sha1:/)
  assert.match(first.stdout, /✔ Kustomization\/flux-system\/sample {2}Applied revision: main@sha1:/)
  assert.equal(first.stdout.includes('\u001b['), false, 'no colours where nobody sees them')
  const second = await serve('--once', '--data', data)
  assert.equal(second.exitCode, 0, second.stderr)
})

test('--kubeconfig makes a real cluster the target', async () => {
  const target = await cluster()
  const { exitCode, stderr } = await serve(
    '--once',
    '--data',
    join(tempDir(), 'data'),
    '--kubeconfig',
    target.kubeconfig,
  )
  assert.equal(exitCode, 0, stderr)
  const greeting = await target.kubectl('get', 'cm', 'greeting', '-n', 'keelson-sample', '-o', 'jsonpath={.data}')
  assert.equal(greeting, '{"greeting.txt":"Hello from git.\\n"}')
})

test('--once ends badly, with the reason, when something does not become ready', async () => {
  const kubeconfig = join(tempDir({ kubeconfig: unreachable }), 'kubeconfig')
  const data = join(tempDir(), 'data')
  const { exitCode, stderr } = await serve('--once', '--timeout', '5s', '--data', data, '--kubeconfig', kubeconfig)
  assert.equal(exitCode, 1)
  assert.match(
    stderr,
    /not ready after 5 s:\n {2}Kustomization\/flux-system\/sample: .*127\.0\.0\.1:9.*connection refused/,
  )
})

const unreachable = `
apiVersion: v1
kind: Config
current-context: gone
clusters: [{name: gone, cluster: {server: "https://127.0.0.1:9"}}]
users: [{name: gone, user: {token: t0ken}}]
contexts: [{name: gone, context: {cluster: gone, user: gone}}]
`

test('a port that is in use is named', async () => {
  const occupant = createServer().listen(0, '127.0.0.1')
  await once(occupant, 'listening')
  const { port } = occupant.address() as { port: number }
  const result = await ending(
    process.execPath,
    [program, 'serve', '--data', join(tempDir(), 'data'), '--port', `${port}`, '--edge-port', '0'],
    { env },
  )
  occupant.close()
  assertOneLine(result, new RegExp(`^✗ port ${port} of 127\\.0\\.0\\.1 is in use: .*--port`))
})

test('a kubeconfig that cannot be read is named, and why', async () => {
  const dir = tempDir({ broken: '{{{', empty: 'apiVersion: v1\nkind: Config\n', good: unreachable })
  const data = join(dir, 'data')
  const withKubeconfig = (name: string, ...more: readonly string[]) =>
    serve('--data', data, '--kubeconfig', join(dir, name), ...more)
  assertOneLine(await withKubeconfig('missing'), /^✗ cannot read the kubeconfig .*missing: ENOENT/)
  assertOneLine(await withKubeconfig('broken'), /^✗ cannot read the kubeconfig .*broken: /)
  assertOneLine(await withKubeconfig('empty'), /^✗ cannot read the kubeconfig .*empty: .*current-context/)
  assertOneLine(await withKubeconfig('good', '--context', 'other'), /^✗ cannot read the kubeconfig .*good: .*other/)
})

test('a data directory that cannot be used is named, and why', async () => {
  const dir = tempDir({ file: '' })
  assertOneLine(await serve('--data', join(dir, 'file')), /^✗ cannot use .*file as data directory: ENOTDIR/)
  assertOneLine(await serve('--data', '/proc/keelson'), /^✗ cannot use \/proc\/keelson as data directory: ENOENT/)
})

test('a missing key file is an error, and is not created again', async () => {
  const data = join(tempDir(), 'data')
  assert.equal((await serve('--once', '--data', data)).exitCode, 0)
  assert.ok((await readFile(join(data, 'kubeconfig'), 'utf8')).includes('token: '))
  await rm(join(data, 'master.key'))
  assertOneLine(await serve('--once', '--data', data), /^✗ .*master\.key is missing: .*backup/)
})
