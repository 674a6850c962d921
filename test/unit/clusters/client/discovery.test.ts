import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discovery } from '../../../../lib/clusters/client/discovery.ts'

type Pages = Record<string, { status?: number; body: unknown }>

/** Discovery over pages that a test may change, with a clock of its own. */
const bed = (pages: Pages) => {
  const world = { now: 0, pages, asked: [] as string[] }
  const found = discovery(
    async path => {
      world.asked.push(path.replace('?timeout=30s', ''))
      const { status = 200, body } = world.pages[world.asked.at(-1)!] ?? { status: 404, body: {} }
      return { status, header: () => undefined, body: JSON.stringify(body) }
    },
    { monotonic: () => world.now },
  )
  return { world, found }
}

const version = (name: string, kinds: readonly string[], freshness = 'Current') => ({
  version: name,
  freshness,
  resources: kinds.map(kind => ({
    resource: `${kind.toLowerCase()}s`,
    responseKind: { group: '', version: '', kind },
    scope: 'Namespaced',
    verbs: ['get', 'list'],
  })),
})
const aggregated = (groups: Record<string, unknown[]>) => ({
  body: {
    kind: 'APIGroupDiscoveryList',
    items: Object.entries(groups).map(([name, versions]) => ({ metadata: { name }, versions })),
  },
})
const api = aggregated({ '': [version('v1', ['Pod'])] })

test('learns all kinds with two requests, and keeps them', async () => {
  const { world, found } = bed({ '/api': api, '/apis': aggregated({ 'a.io': [version('v1', ['Widget'])] }) })
  const [pod, widget] = await Promise.all([found.find('v1', 'Pod'), found.find('a.io/v1', 'Widget')])
  const verbs = ['get', 'list']
  assert.deepEqual(pod, { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true, verbs })
  assert.deepEqual(widget, { group: 'a.io', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true, verbs })
  assert.deepEqual(world.asked, ['/api', '/apis'])
})

test('repeats discovery for an unknown kind, but not for each caller', async () => {
  const { world, found } = bed({ '/api': api, '/apis': aggregated({}) })
  await found.find('v1', 'Pod')
  const unknown = { code: 'noMatch', message: 'no matches for kind "Widget" in version "a.io/v1"' }
  await Promise.all(Array.from({ length: 50 }, () => assert.rejects(found.find('a.io/v1', 'Widget'), unknown)))
  assert.equal(world.asked.length, 2)
  world.now += 1_000
  world.pages['/apis'] = aggregated({ 'a.io': [version('v1', ['Widget'])] })
  assert.equal((await found.find('a.io/v1', 'Widget')).plural, 'widgets')
  assert.equal(world.asked.length, 4)
})

test('reads the older discovery of servers without the aggregated one', async () => {
  const list = (name: string, kind: string) => ({
    body: {
      resources: [
        { name, kind, namespaced: false, verbs: ['get'] },
        { name: `${name}/status`, kind },
      ],
    },
  })
  const { found } = bed({
    '/api': { body: { kind: 'APIVersions', versions: ['v1'] } },
    '/api/v1': list('nodes', 'Node'),
    '/apis': {
      body: { kind: 'APIGroupList', groups: [{ name: 'a.io', versions: [{ version: 'v2' }, { version: 'v1' }] }] },
    },
    '/apis/a.io/v2': list('widgets', 'Widget'),
    '/apis/a.io/v1': list('widgets', 'Widget'),
  })
  const node = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false, verbs: ['get'] }
  assert.deepEqual(await found.find('v1', 'Node'), node)
  assert.equal((await found.findAnyVersion('a.io', 'Widget'))?.version, 'v2')
  assert.equal(await found.findAnyVersion('a.io', 'Gone'), undefined)
})

test('does not say that a kind is gone while the server of its group is down', async () => {
  const stale = aggregated({ 'metrics.k8s.io': [version('v1', [], 'Stale')] })
  const { found } = bed({ '/api': api, '/apis': stale })
  const down = { code: 'server', message: /metrics\.k8s\.io is not available/ }
  await assert.rejects(found.find('metrics.k8s.io/v1', 'PodMetrics'), down)
  await assert.rejects(found.findAnyVersion('metrics.k8s.io', 'PodMetrics'), down)
  assert.equal(await found.findAnyVersion('a.io', 'Widget'), undefined)
})

test('reports a failure as Kubernetes clients do, and tries again the next time', async () => {
  const { world, found } = bed({
    '/api': { status: 401, body: { kind: 'Status', message: 'Unauthorized', reason: 'Unauthorized' } },
  })
  await assert.rejects(found.find('v1', 'Pod'), {
    code: 'unauthorized',
    reason: 'Unauthorized',
    message: 'failed to get server groups: the server has asked for the client to provide credentials',
  })
  world.pages = { '/api': api, '/apis': aggregated({}) }
  assert.equal((await found.find('v1', 'Pod')).plural, 'pods')
})
