import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunContent } from '../../../../lib/foundations/kinds/run.ts'
import { createApiServer } from '../../../../lib/hub/apiserver/api-server.ts'
import { admin } from '../../../../lib/hub/apiserver/authentication/bearer-token.ts'
import { allowAll } from '../../../../lib/hub/authorize/access.ts'
import { runCodec } from '../../../../lib/hub/runs/run-codec.ts'
import { factsOf } from '../../../../lib/hub/runs/run-facts.ts'
import { runName } from '../../../../lib/hub/runs/run-names.ts'
import { runReader } from '../../../../lib/hub/runs/run-reader.ts'
import { hubWorld, registry } from '../store/world.ts'

const api = '/apis/fleet.keelson.dev/v1alpha1'

/** The API of a hub with these runs, each an object of what differs. */
const apiWithRuns = async ({ withFacts = true } = {}) => {
  const { hub, platform, clock } = await hubWorld()
  const codec = runCodec(platform.keys)
  const handle = createApiServer({
    hub,
    runs: runReader({ ...platform, hub }),
    kinds: () => registry,
    clock,
    authenticate: async () => admin,
    authorizer: allowAll,
  })
  const send = async (method: string, path: string, accept = 'application/json') => {
    const response = await handle(new Request(`http://hub${path}`, { method, headers: { accept } }))
    return { status: response.status, json: JSON.parse(await response.text()) }
  }
  const add = async (namespace: string, unit: string, more: Partial<RunContent> = {}) => {
    await clock.advance(60_000)
    const startedAt = clock.now()
    const place = { namespace, startedAt, name: runName({ kind: 'Kustomization', name: unit }, startedAt) }
    const content: RunContent = {
      unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: unit },
      cause: { type: 'Source' },
      counts: { configured: 1 },
      result: 'Succeeded',
      startedAt: new Date(startedAt).toISOString(),
      ...more,
    }
    const body = await codec.encode(place, content)
    // Those of an earlier version have no facts.
    const facts = withFacts ? factsOf(content) : ''
    const expires = startedAt + 1e9
    await platform.runs.add({ ...place, unit: `Kustomization/${unit}`, body, facts, repeats: 0, expires })
    return place.name
  }
  const names = async (path: string): Promise<readonly string[]> =>
    (await send('GET', path)).json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
  const namespace = (name: string) =>
    hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager: 'test' })
  return { hub, clock, send, add, names, namespace }
}

test('runs are listed newest first, page by page, in one namespace and in all', async () => {
  const { send, add, names, namespace } = await apiWithRuns()
  await namespace('apps')
  const added: string[] = []
  for (let i = 0; i < 9; i++) added.unshift(await add(['default', 'apps'][i % 2]!, `unit-${i % 3}`))
  assert.deepEqual(await names(`${api}/runs`), added)
  const ofApps = added.filter((_, i) => i % 2 === 1)
  assert.deepEqual(await names(`${api}/namespaces/apps/runs`), ofApps)
  const read: string[] = []
  for (let token = ''; ; ) {
    const { json } = await send('GET', `${api}/runs?limit=2&continue=${token}`)
    read.push(...json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name))
    token = json.metadata.continue
    if (!token) break
  }
  assert.deepEqual(read, added)
  assert.equal((await send('GET', `${api}/runs?limit=2&continue=nonsense`)).status, 410)
})

test('a run is read by its name, and nothing is written', async () => {
  const { send, add } = await apiWithRuns()
  const name = await add('default', 'app')
  const { status, json } = await send('GET', `${api}/namespaces/default/runs/${name}`)
  assert.deepEqual([status, json.kind, json.unit.name, json.metadata.namespace], [200, 'Run', 'app', 'default'])
  const missing = await send('GET', `${api}/namespaces/default/runs/kustomization-app-0mjk1q2w3`)
  assert.deepEqual([missing.status, missing.json.reason], [404, 'NotFound'])
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const refused = await send(method, `${api}/namespaces/default/runs/${name}`)
    assert.deepEqual([refused.status, refused.json.reason], [405, 'MethodNotAllowed'], method)
  }
  assert.equal((await send('POST', `${api}/namespaces/default/runs`)).status, 405)
  assert.equal((await send('GET', `${api}/namespaces/default/runs?watch=1`)).status, 405)
  const { json: group } = await send('GET', api)
  assert.deepEqual(group.resources.find(({ name }: { name: string }) => name === 'runs').verbs, ['get', 'list'])
})

const selectionTest = async (withFacts: boolean): Promise<void> => {
  const { add, names, send, clock } = await apiWithRuns({ withFacts })
  const start = clock.now()
  const first = await add('default', 'a', { cluster: { kind: 'Secret', namespace: 'default', name: 'prod' } })
  const failed = await add('default', 'b', { result: 'Failed', counts: {} })
  const asked = await add('default', 'a', { cause: { type: 'Request', user: 'jane' } })
  const select = (selector: string) => names(`${api}/runs?fieldSelector=${encodeURIComponent(selector)}`)
  assert.deepEqual(await select('unit.kind=Kustomization,unit.name=a'), [asked, first])
  assert.deepEqual(await select('unit.name=b'), [failed])
  assert.deepEqual(await select('cluster.name=prod'), [first])
  assert.deepEqual(await select('result!=Succeeded'), [failed])
  assert.deepEqual(await select('cause.type=Request,cause.user=jane'), [asked])
  const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString()
  assert.deepEqual(await select(`since=${at(2)}`), [asked, failed])
  assert.deepEqual(await select(`since=${at(2)},until=${at(2)}`), [failed])
  assert.deepEqual(await select(`unit.name=a,until=${at(1)}`), [first])
  assert.deepEqual(await names(`${api}/runs?labelSelector=fleet.keelson.dev/result=Failed`), [failed])
  assert.equal((await send('GET', `${api}/runs?fieldSelector=since=noon`)).status, 400)
  assert.equal((await send('GET', `${api}/runs?fieldSelector=phase=x`)).status, 400)
  const pushed = await add('default', 'c', {
    cause: { type: 'Source', user: 'Receiver default/github for mona', author: 'Jane Doe <jane@example.com>' },
  })
  for (const name of ['mona', 'Receiver default/github for mona', 'Jane Doe', 'jane@example.com'])
    assert.deepEqual(await select(`by=${name}`), [pushed], name)
  assert.deepEqual(await select('by=jane'), [asked])
  assert.deepEqual(await select('by=jane,cause.type=Source'), [])
  assert.deepEqual(await select('cluster.name='), [pushed, asked, failed])
  assert.deepEqual(await select('cause.user='), [failed, first])
  assert.deepEqual(await select('by!=mona,unit.name=c'), [])
}

test('runs are selected by unit, cluster, cause, user, result, label and time', () => selectionTest(true))

test('so are runs that an earlier version has recorded', () => selectionTest(false))

test('kubectl gets a table with what matters', async () => {
  const { add, send } = await apiWithRuns()
  const revision = 'main@sha1:0123456789abcdef0123456789abcdef01234567'
  await add('default', 'app', { counts: { created: 1, configured: 2, deleted: 3 }, revision })
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const { json } = await send('GET', `${api}/runs`, accept)
  const shown = json.columnDefinitions.filter(({ priority }: { priority: number }) => priority === 0)
  assert.deepEqual(
    shown.map(({ name }: { name: string }) => name),
    ['Name', 'Age', 'Unit', 'Cause', 'Revision', 'Changes', 'Result'],
  )
  assert.deepEqual(json.rows[0].cells.slice(1, 7), [
    '0s',
    'Kustomization/app',
    'Source',
    'main@sha1:01234567',
    '+1 ~2 -3',
    'Succeeded',
  ])
})

test('a new namespace shows nothing of what an earlier one of its name has left', async () => {
  const { hub, clock, add, names, namespace, send } = await apiWithRuns()
  await namespace('apps')
  const name = await add('apps', 'app')
  assert.deepEqual(await names(`${api}/namespaces/apps/runs`), [name])
  const ref = { group: '', kind: 'Namespace', namespace: '', name: 'apps' }
  await hub.delete(ref, {})
  await hub.settled()
  assert.equal(await hub.get(ref), undefined)
  assert.deepEqual(await names(`${api}/namespaces/apps/runs`), [])
  await clock.advance(5000)
  await namespace('apps')
  assert.deepEqual(await names(`${api}/runs`), [])
  assert.equal((await send('GET', `${api}/namespaces/apps/runs/${name}`)).status, 404)
})
