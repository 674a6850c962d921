import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import type { ClusterClient } from '../../lib/clusters/client/client.ts'
import { clusters } from '../../lib/clusters/client/clusters.ts'
import type { Impersonation } from '../../lib/clusters/client/kubeconfig.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'

const bed = await cluster()
const kubeconfig = readFileSync(bed.kubeconfig, 'utf8')

interface Test {
  after(end: () => Promise<void>): void
}

/** Clients that go when the test ends. */
const openWith = (t: Test, timeoutMs: number) => {
  const world = { now: 0 }
  const remotes = clusters({ clock: { monotonic: () => world.now }, timeoutMs })
  t.after(() => remotes.close())
  return { world, remotes }
}

/** A client of a kubeconfig in which a text is replaced. */
const open = (t: Test, text = kubeconfig, impersonate?: Impersonation) => {
  const { world, remotes } = openWith(t, 30_000)
  return { world, remotes, client: remotes.fromKubeconfig(text, impersonate) }
}

/** A client that gives up after a second. It has read something by then, however busy the machine is. */
const openImpatient = async (t: Test, text = kubeconfig) => {
  const { world, remotes } = openWith(t, 1_000)
  const client = remotes.fromKubeconfig(text)
  await eventually(async () => {
    world.now += 60_000
    await readDefault(client)
  })
  return { world, client }
}

const whoAmI = async (client: ClusterClient) => {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: { name: '' } }
  const { status } = await client.create(review, { fieldManager: 'test' })
  return (status as { userInfo: { username: string; groups: string[]; extra?: object } }).userInfo
}
const readDefault = (client: ClusterClient) =>
  client.get('v1', { group: '', kind: 'Namespace', namespace: '', name: 'default' })

test('KS-223, KS-224 acts as the user of the kubeconfig, or impersonates another', async t => {
  const admin = await whoAmI(open(t).client)
  assert.ok(admin.groups.includes('system:masters'))
  const byCertificate = await whoAmI(open(t, readFileSync(bed.certificateKubeconfig, 'utf8')).client)
  assert.ok(byCertificate.groups.includes('system:masters'))
  const tenant = await whoAmI(open(t, kubeconfig, { user: 'system:serviceaccount:apps:tenant' }).client)
  assert.equal(tenant.username, 'system:serviceaccount:apps:tenant')
  const extra = { 'example.com/Scope': ['x', 'y'] }
  const jane = await whoAmI(open(t, kubeconfig, { user: 'jane', groups: ['a', 'b, c'], extra }).client)
  assert.deepEqual(
    [jane.username, jane.groups, jane.extra],
    ['jane', ['a', 'b, c', 'system:authenticated'], { 'example.com/scope': ['x', 'y'] }],
  )
})

test('KS-226 distinguishes a wrong token, an unknown authority and a wrong name', async t => {
  const failure = async (text: string): Promise<readonly [code: string, message: string]> =>
    readDefault(open(t, text).client).then(
      () => ['none', ''],
      error => [error.code, error.message],
    )
  const get = `failed to get server groups: Get "${bed.server}/api?timeout=30s": `
  assert.deepEqual(await failure(kubeconfig.replace(/token: .*/, 'token: wrong')), [
    'unauthorized',
    'failed to get server groups: the server has asked for the client to provide credentials',
  ])
  assert.deepEqual(await failure(kubeconfig.replace(/certificate-authority-data: .*/, '')), [
    'unreachable',
    `${get}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
  ])
  const [code, message] = await failure(kubeconfig.replace(/server: .*/, '$&\n    tls-server-name: other.example.com'))
  assert.equal(code, 'unreachable')
  assert.match(message, /x509: .*other\.example\.com/)
})

/** A proxy that counts the tunnels through it; it ends with the test, after what was opened before it. */
const startProxy = async () => {
  const tunnels = { opened: [] as string[], open: 0, stalled: false }
  const proxy = createServer().on('connect', (request, socket) => {
    tunnels.opened.push(`https://${request.url}`)
    tunnels.open++
    const { hostname, port } = new URL(`http://${request.url}`)
    const server = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      server.pipe(socket)
      // What comes while it is stalled is lost, as on a line that has broken somewhere.
      socket.on('data', chunk => tunnels.stalled || server.write(chunk))
      socket.once('end', () => server.end())
    })
    socket.once('close', () => tunnels.open--)
    for (const end of [server, socket]) end.on('error', () => {})
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return {
    tunnels,
    kubeconfig: kubeconfig.replace(/server: .*/, `$&\n    proxy-url: http://127.0.0.1:${port}`),
    close: () => new Promise<void>(resolve => proxy.close(() => resolve())),
  }
}

test('goes through a proxy when the kubeconfig names one', async t => {
  const proxy = await startProxy()
  const { client } = open(t, proxy.kubeconfig)
  t.after(proxy.close)
  assert.equal((await readDefault(client))?.metadata.name, 'default')
  assert.deepEqual(new Set(proxy.tunnels.opened), new Set([bed.server]))
})

test('clients of one kubeconfig share a connection, which closes when it was not used for ten minutes', async t => {
  const proxy = await startProxy()
  const { world, remotes, client } = open(t, proxy.kubeconfig)
  t.after(proxy.close)
  const others = Array.from({ length: 5 }, () => remotes.fromKubeconfig(proxy.kubeconfig))
  await readDefault(client)
  await Promise.all([...others, ...others].map(readDefault))
  assert.equal(proxy.tunnels.open, 1)

  world.now += 9 * 60_000
  await readDefault(client)
  world.now += 9 * 60_000
  remotes.fromKubeconfig(kubeconfig)
  assert.equal((await readDefault(client))?.metadata.name, 'default')
  world.now += 11 * 60_000
  remotes.fromKubeconfig(kubeconfig)
  await eventually(() => assert.equal(proxy.tunnels.open, 0))
})

test('a cluster that freezes costs three timeouts, then nothing, and is used again once it responds', async t => {
  const { world, client } = await openImpatient(t)
  await bed.pause()
  try {
    const attempts: number[] = []
    for (let i = 0; i < 6; i++) {
      const started = performance.now()
      await assert.rejects(readDefault(client), { code: 'unreachable', message: /context deadline exceeded/ })
      attempts.push(performance.now() - started)
    }
    assert.deepEqual(
      attempts.map(ms => ms > 900),
      [true, true, true, false, false, false],
    )
  } finally {
    await bed.resume()
  }
  world.now += 60_000
  await eventually(async () => {
    world.now += 60_000
    assert.equal((await readDefault(client))?.metadata.name, 'default')
  })
})

test('uses another connection if one does not respond', async t => {
  const proxy = await startProxy()
  const { world, client } = await openImpatient(t, proxy.kubeconfig)
  t.after(proxy.close)
  const { length: opened } = proxy.tunnels.opened
  proxy.tunnels.stalled = true
  await assert.rejects(readDefault(client), { code: 'unreachable', message: /context deadline exceeded/ })
  proxy.tunnels.stalled = false
  await eventually(async () => {
    world.now += 60_000
    assert.equal((await readDefault(client))?.metadata.name, 'default')
  })
  assert.ok(proxy.tunnels.opened.length > opened)
})

test('continues after the API server was restarted', async t => {
  const { world, client } = open(t)
  await readDefault(client)
  await bed.stop()
  await assert.rejects(readDefault(client), { code: 'unreachable' })
  await bed.start()
  await eventually(async () => {
    world.now += 60_000
    assert.equal((await readDefault(client))?.metadata.name, 'default')
  })
})
