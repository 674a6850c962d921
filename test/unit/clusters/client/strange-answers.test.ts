/** Something else than an API server answers at the address of a kubeconfig. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterError } from '../../../../lib/clusters/client/client.ts'
import { clusterClient } from '../../../../lib/clusters/client/cluster-client.ts'
import { connection } from '../../../../lib/clusters/client/connection.ts'
import type { Transport, TransportResponse } from '../../../../lib/clusters/client/transport.ts'

const html = '<!doctype html><title>Welcome to nginx!</title> secret-word'
const answers: Readonly<Record<string, string>> = {
  'an empty object': '{}',
  'an empty list': '[]',
  'a list of objects': '[{}]',
  null: 'null',
  'a number': '1',
  'a text': '"ok"',
  'a page of HTML': html,
  nothing: '',
  'half of an object': '{"kind":"APIVersions","versions":["v1',
  'an object of other fields': '{"status":"UP","groups":{}}',
  'versions that are no list': '{"kind":"APIVersions","versions":"v1"}',
  'versions that are no texts': '{"kind":"APIVersions","versions":[1,{}]}',
  'groups that are no objects': '{"kind":"APIGroupList","groups":[null]}',
  'an aggregated list without items': '{"kind":"APIGroupDiscoveryList"}',
  'an aggregated list of nothing': '{"kind":"APIGroupDiscoveryList","items":[null,1]}',
  'an aggregated list with wrong versions': '{"kind":"APIGroupDiscoveryList","items":[{"versions":[7]}]}',
  'metadata that are no object': '{"metadata":1,"items":[]}',
  'a list without items': '{"metadata":{}}',
  'items that are no objects': '{"metadata":{},"items":[null]}',
  'items without metadata': '{"metadata":{},"items":[{}]}',
  'an object without a name': '{"metadata":{}}',
}

const sound: Readonly<Record<string, unknown>> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', groups: [] },
  '/api/v1': { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true, verbs: ['list'] }] },
}

const respond = (body: string, contentType = 'application/json'): TransportResponse => ({
  status: 200,
  header: name => (name === 'content-type' ? contentType : undefined),
  body,
})

const clientOf = (send: Transport) =>
  clusterClient(connection('https://prod:6443', send, { clock: { monotonic: () => 0 } }))

const ref = { group: '', kind: 'ConfigMap', namespace: 'apps', name: 'a' }
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'apps' } }
const calls: Readonly<Record<string, (client: ReturnType<typeof clientOf>) => Promise<unknown>>> = {
  get: client => client.get('v1', ref),
  list: client => client.list({ apiVersion: 'v1', kind: 'ConfigMap' }),
  apply: client => client.apply(object, { fieldManager: 'test', force: true }),
  create: client => client.create(object, { fieldManager: 'test' }),
  patch: client => client.patch('v1', ref, { type: 'merge', patch: {} }, { fieldManager: 'test' }),
  identity: client => client.identity(true),
}

const explains = (error: unknown): boolean => {
  assert.ok(error instanceof ClusterError, String(error))
  assert.equal(error.code, 'server')
  assert.match(error.message, /https:\/\/prod:6443 does not respond like a Kubernetes API server/)
  assert.match(error.message, /check the server in the kubeconfig$/)
  assert.doesNotMatch(error.message, /undefined|Cannot read|is not a function|secret-word|JSON/)
  return true
}

for (const [what, body] of Object.entries(answers)) {
  test(`a server that responds to everything with ${what} is distinguished from a cluster, in one sentence`, async () => {
    for (const call of Object.values(calls)) await assert.rejects(call(clientOf(async () => respond(body))), explains)
  })

  test(`so is a server with known kinds that responds to everything else with ${what}`, async () => {
    // To whoever only lists, a list with no items is one; and what has a name is an object.
    for (const call of Object.values(calls))
      await assert.rejects(
        call(
          clientOf(async ({ path }) => {
            const document = sound[path.split('?')[0]!]
            return respond(document ? JSON.stringify(document) : body)
          }),
        ),
        explains,
      )
  })
}

test('a response is reported by its status, length and type', async () => {
  const client = clientOf(async () => respond(html, 'text/html; charset=utf-8'))
  await assert.rejects(calls.get!(client), {
    message:
      'failed to get server groups: https://prod:6443 does not respond like a Kubernetes API server (status 200, 59 bytes of text/html; charset=utf-8): check the server in the kubeconfig',
  })
})

test('lists that a server writes as null are empty', async () => {
  const documents: Readonly<Record<string, unknown>> = {
    ...sound,
    '/apis': { kind: 'APIGroupDiscoveryList', items: null },
    '/api/v1/configmaps': { metadata: { resourceVersion: '7' }, items: null },
  }
  const client = clientOf(async ({ path }) => respond(JSON.stringify(documents[path.split('?')[0]!])))
  assert.deepEqual(await calls.list!(client), { items: [], resourceVersion: '7' })
})
