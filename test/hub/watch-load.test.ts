import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { apiClient } from '../attack/api-client.ts'
import { eventually } from '../bed/eventually.ts'
import { ownerOf } from '../bed/fleet-objects.ts'
import { hub as startedHub } from '../bed/hub.ts'
import { residentOf } from '../bench/process-usage.ts'

const watches = 3_000
const size = 200_000
/** They took 3.2 GB before their number and what they are given was bounded, and a write to all of them 11 GB. */
const mostMegabytes = 1_000

const tenant = `
apiVersion: v1
kind: Namespace
metadata: {name: busy}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: tenant, namespace: busy}
---
${ownerOf('busy', 'tenant')}
`

test('one large write reaches 3,000 watches of a hub in its own process, whose memory stays within bounds', async t => {
  const hub = await startedHub({ flags: ['--max-watches=3500', '--max-watches-per-tenant=3500'] })
  await hub.apply(tenant)
  const token = (await hub.kubectl('create', 'token', 'tenant', '-n', 'busy')).trim()
  const { clusters } = parse(readFileSync(hub.kubeconfig, 'utf8')) as {
    readonly clusters: readonly [{ readonly cluster: { readonly 'certificate-authority-data': string } }]
  }
  const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64')
  const client = apiClient({ server: hub.server, ca, token })
  const maps = '/api/v1/namespaces/busy/configmaps'
  let left = watches
  let received = 0
  let ended = 0
  const closers: (() => void)[] = []
  const opening = async () => {
    while (left-- > 0) {
      const { status, stream, close } = await client.open(`${maps}?watch=1`)
      assert.equal(status, 200)
      stream.on('data', (part: Buffer) => (received += part.length))
      stream.once('close', () => ended++)
      closers.push(close)
    }
  }
  await Promise.all(Array.from({ length: 30 }, opening))
  t.diagnostic(`${watches} watches: ${residentOf(hub.pid!).now} MB`)
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data: { text: 'x'.repeat(size) } }
  assert.equal((await client.request('POST', maps, map)).status, 201)
  const told = () => `${received} of ${watches * size} bytes, ${ended} watches ended`
  await eventually(() => assert.ok(received >= watches * size, told()), { within: 120_000, every: 200 })
  const { peak } = residentOf(hub.pid!)
  t.diagnostic(`one write of ${size} bytes to them: at most ${peak} MB`)
  for (const close of closers) close()
  assert.ok(peak < mostMegabytes, `the hub held ${peak} MB`)
})
