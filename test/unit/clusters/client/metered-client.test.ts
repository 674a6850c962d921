import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterClient } from '../../../../lib/clusters/client/cluster-client.ts'
import { connection } from '../../../../lib/clusters/client/connection.ts'
import { meteredClient } from '../../../../lib/clusters/client/metered-client.ts'
import { newTally } from '../../../../lib/clusters/client/tally.ts'
import type { Transport } from '../../../../lib/clusters/client/transport.ts'

const pages: Readonly<Record<string, object>> = {
  '/api/v1/namespaces/kube-system': {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name: 'kube-system', uid: 'one' },
  },
  '/version': { gitVersion: 'v1.36.3' },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api?timeout=30s': {
    kind: 'APIGroupDiscoveryList',
    items: [{ metadata: {}, versions: [{ version: 'v1', resources: [resource('Pod'), resource('ConfigMap')] }] }],
  },
  '/apis?timeout=30s': { kind: 'APIGroupDiscoveryList', items: [] },
}

function resource(kind: string) {
  const names = { resource: `${kind.toLowerCase()}s`, responseKind: { group: '', version: 'v1', kind } }
  return { ...names, scope: 'Namespaced', verbs: ['get', 'list'] }
}

test('a pass is charged for the probe and the discovery that it causes, not for what another has asked before', async () => {
  const asked: string[] = []
  const send: Transport = async ({ path }) => {
    asked.push(path)
    return { status: 200, header: () => undefined, body: JSON.stringify(pages[path]) }
  }
  const cluster = clusterClient(connection('https://prod.example.com', send, { clock: { monotonic: () => 0 } }))
  const [first, second] = [newTally(), newTally()]
  const probing = meteredClient(cluster, first)
  await probing.identity(true)
  await probing.serverVersion!({ fresh: true })
  await probing.document!('/apis')
  assert.deepEqual([first.requests, asked.length], [3, 3])
  assert.ok(first.bytes > 0)
  await meteredClient(cluster, second).resourceFor('v1', 'Pod')
  await probing.resourceFor('v1', 'ConfigMap')
  assert.deepEqual([second.requests, first.requests, asked.length], [2, 3, 5])
})
