import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { install } from '../../lib/clusters/helm-release/install.ts'
import { test as testRelease } from '../../lib/clusters/helm-release/test.ts'
import { certificateAuthority } from '../bed/certificates.ts'
import { chartFiles, failure, helmReleaseBed, inPasses } from './helm-release-bed.ts'

const bed = await helmReleaseBed()

/** What the containers of the pods have written, by `pod/container`, as the API server asks the node's kubelet for it. */
const written = new Map<string, string>()
const kubelet = createServer(certificateAuthority().issue('kubelet'), (request, response) => {
  const [, , , pod = '', container = ''] = new URL(request.url!, 'https://kubelet').pathname.split('/')
  const text = [...written].find(([key]) => `${pod}/${container}`.startsWith(key))?.[1]
  if (text === undefined) response.writeHead(500).end('the log is not there')
  else response.end(text)
})
kubelet.listen(0, '127.0.0.1')
await once(kubelet, 'listening')
after(() => kubelet.close())
const { port } = kubelet.address() as AddressInfo
const status = {
  addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
  daemonEndpoints: { kubeletEndpoint: { Port: port } },
}
await bed.kubectl('patch', 'node', 'node-1', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status }))

const workload = (kind: 'Job' | 'Pod', name: string, event: string, hold: string, policies: string) => {
  const annotations = { 'helm.sh/hook': event, ...(policies && { 'helm.sh/hook-output-log-policy': policies }) }
  const held = hold && { 'testcluster/hold': hold }
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1' }] }
  const isJob = kind === 'Job'
  return JSON.stringify({
    ...{ apiVersion: isJob ? 'batch/v1' : 'v1', kind },
    metadata: { name, annotations: { ...annotations, ...(!isJob && held) } },
    spec: isJob ? { backoffLimit: 0, template: { metadata: { annotations: held || {} }, spec } } : spec,
  })
}

const withoutPodNames = (lines: readonly string[]) => lines.map(line => line.replace(/^(\w+)-\w{5}\//, '$1/'))

test("HR-130 HR-160 the last lines of a failed hook's output are reported, in whatever pass it fails, within a limit", async () => {
  const space = await bed.space()
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
  written.set('migrate-', `${lines.join('\n')}\n\n\x1b[31m${'x'.repeat(500)}\n`)
  const policies = { 'helm.sh/hook-delete-policy': 'hook-failed' }
  const job = JSON.parse(workload('Job', 'migrate', 'pre-install', 'failed', 'hook-failed'))
  Object.assign(job.metadata.annotations, policies)
  const request = await space.installOf(chartFiles({ 'job.yaml': JSON.stringify(job) }))
  const { logs, message } = await failure(inPasses(() => install(space.depsWith(bed.client, 0), request)))
  assert.match(message, /^failed pre-install: .*Job\/.*\/migrate status: 'Failed'/)
  const told = withoutPodNames(logs)
  assert.equal(told.length, 10)
  assert.deepEqual(
    told.slice(0, 9),
    lines.slice(-9).map(line => `migrate/main: ${line}`),
  )
  assert.match(told[9]!, /^migrate\/main: {2}\[31mx+…$/)
  assert.ok(told[9]!.length < 230)
  assert.deepEqual(await space.names('job'), [], 'it was read before the hook was deleted')
})

test('HR-130 without the policy, or where the log can not be read, the failure is reported all the same', async () => {
  const space = await bed.space()
  written.set('silent-', 'a password')
  const silent = await space.installOf(
    chartFiles({ 'job.yaml': workload('Job', 'silent', 'pre-install', 'failed', '') }),
  )
  assert.deepEqual((await failure(install(space.deps, silent))).logs, [])

  const other = await bed.space()
  const policy = 'hook-succeeded,hook-failed'
  const files = chartFiles({ 'job.yaml': workload('Job', 'unread', 'pre-install', 'failed', policy) })
  const { logs, message } = await failure(install(other.deps, await other.installOf(files)))
  assert.match(message, /unread status: 'Failed'/)
  assert.match(logs.join('\n'), /^error outputting logs of hook app\/templates\/job.yaml: .+$/)
})

test('HR-130 HR-160 so it is with a test, and with a hook that succeeds where its policy says so', async () => {
  const space = await bed.space()
  written.set('smoke/', 'no answer from the server')
  written.set('seed-', 'seeded 3 tables')
  const files = chartFiles({
    'seed.yaml': workload('Job', 'seed', 'post-install', '', 'hook-succeeded'),
    'smoke.yaml': workload('Pod', 'smoke', 'test', 'failed', 'hook-failed'),
  })
  const told: string[] = []
  const hookSucceeded = (event: string, path: string, output: readonly string[]) =>
    told.push(event, path, ...withoutPodNames(output))
  await install({ ...space.deps, hookSucceeded }, await space.installOf(files))
  assert.deepEqual(told, ['post-install', 'app/templates/seed.yaml', 'seed/main: seeded 3 tables'])
  const { logs } = await failure(testRelease(space.deps, space.testOf()))
  assert.deepEqual(logs, ['smoke/main: no answer from the server'])
})
