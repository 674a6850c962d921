import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'

const deployment = (name: string, annotations: Record<string, string> = {}) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: apps }
spec:
  replicas: 2
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} }, annotations: ${JSON.stringify(annotations)} }
    spec: { containers: [{ name: main, image: example.org/app:1 }] }
`

test('runs clusters side by side that know nothing of each other', async () => {
  const [prod, staging] = await Promise.all([cluster({ name: 'prod' }), cluster({ name: 'staging' })])
  await prod.kubectl('create', 'namespace', 'apps')
  assert.notEqual(prod.server, staging.server)
  assert.match(await prod.kubectl('config', 'current-context'), /^prod$/m)
  await assert.rejects(staging.kubectl('get', 'namespace', 'apps'), /NotFound/)
  assert.match(await prod.kubectl('version'), /Client Version: v1\.36\.3\n.*\nServer Version: v1\.36\.3/)
})

test('makes workloads ready, except those that are held, and empties deleted namespaces', async () => {
  const prod = await cluster()
  await prod.kubectl('create', 'namespace', 'apps')
  await prod.apply(deployment('web'))
  await prod.apply(deployment('slow', { 'testcluster/hold': 'unready' }))
  await prod.kubectl('rollout', 'status', 'deployment/web', '--namespace=apps', '--timeout=5m')
  const ready = async (name: string) => {
    const { status } = await prod.get<{ status: Record<string, number> }>('deployment', name, '--namespace=apps')
    return [status.replicas, status.readyReplicas ?? 0]
  }
  assert.deepEqual(await ready('web'), [2, 2])
  assert.deepEqual(await ready('slow'), [2, 0])

  await prod.kubectl('annotate', 'pods', '--selector=app=slow', '--namespace=apps', 'testcluster/hold-')
  await eventually(async () => assert.deepEqual(await ready('slow'), [2, 2]))

  await prod.kubectl('create', 'job', 'once', '--image=example.org/job:1', '--namespace=apps')
  await prod.kubectl('wait', 'job/once', '--for=condition=complete', '--namespace=apps', '--timeout=5m')

  await prod.kubectl('delete', 'namespace', 'apps', '--timeout=5m')
  await assert.rejects(prod.kubectl('get', 'namespace', 'apps'), /NotFound/)
})

test('is unreachable while stopped or paused, and comes back as it was', async () => {
  const prod = await cluster()
  const { server } = prod
  await prod.kubectl('create', 'configmap', 'kept')
  const look = (...flags: readonly string[]) => prod.kubectl('get', 'configmap', 'kept', ...flags)

  await prod.pause()
  await assert.rejects(look('--request-timeout=1s'), /Client\.Timeout exceeded/)
  await prod.resume()
  await look()

  await prod.stop()
  await assert.rejects(look(), /refused/)
  await prod.start()
  assert.equal(prod.server, server)
  await eventually(look)
})

test('admits administrators by token and by certificate, and nobody else', async () => {
  const prod = await cluster()
  const whoAmI = async (kubeconfig: string) =>
    JSON.parse(await prod.kubectl('auth', 'whoami', '-o', 'json', `--kubeconfig=${kubeconfig}`)).status.userInfo.groups
  const expected = ['system:masters', 'system:authenticated']
  assert.deepEqual(await whoAmI(prod.kubeconfig), expected)
  assert.deepEqual(await whoAmI(prod.certificateKubeconfig), expected)
  await assert.rejects(prod.kubectl('get', 'nodes', '--token=wrong'), /must be logged in/)
})

// What a test file may suffer: Ctrl-C, and a kill that leaves it no time to clean up, even with its cluster frozen.
for (const [signal, state] of [
  ['SIGINT', 'running'],
  ['SIGKILL', 'running'],
  ['SIGKILL', 'paused'],
] as const) {
  test(`leaves no ${state} cluster and no files behind after ${signal}`, async () => {
    const { owner, pid, dir } = await clusterOfAnother(state)
    assert.ok(isAlive(pid) && existsSync(dir))
    owner.kill(signal)
    await eventually(() => !isAlive(pid) && !existsSync(dir), { within: 10_000 })
  })
}

/** A process that starts a cluster and waits. */
async function clusterOfAnother(state: string): Promise<{ owner: ChildProcess; pid: number; dir: string }> {
  const script = `
    import { startCluster } from ${JSON.stringify(join(import.meta.dirname, '../bed/cluster.ts'))}
    const it = await startCluster()
    if (${state === 'paused'}) await it.pause()
    console.log(JSON.stringify([it.pid, it.kubeconfig]))
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface(owner.stdout)) {
    const [pid, kubeconfig] = JSON.parse(line) as [number, string]
    return { owner, pid, dir: dirname(kubeconfig) }
  }
  throw new Error('the other process started no cluster')
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
