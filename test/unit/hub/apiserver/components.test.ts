import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiWorld } from './world.ts'

const components = { names: ['source-controller', 'kustomize-controller'], version: 'v1.2.3', since: 0 }
const deployments = '/apis/apps/v1/namespaces/flux-system/deployments'

test('shows its parts as Deployments, which can be read and nothing else', async () => {
  const { send } = await apiWorld({ components })
  const { json } = await send('GET', `${deployments}?labelSelector=app.kubernetes.io/part-of%3Dflux`)
  const images = json.items.map((item: { spec: { template: { spec: { containers: { image: string }[] } } } }) =>
    item.spec.template.spec.containers.map(({ image }) => image),
  )
  assert.deepEqual(images, [['keelson.dev/source-controller:v1.2.3'], ['keelson.dev/kustomize-controller:v1.2.3']])
  assert.equal((await send('GET', `${deployments}/source-controller`)).json.status.readyReplicas, 1)
  assert.equal((await send('GET', `${deployments}/other`)).status, 404)
  assert.equal((await send('GET', `${deployments}?labelSelector=a%3Db`)).json.items.length, 0)
  assert.equal((await send('GET', deployments.replace('flux-system', 'default'))).json.items.length, 0)
  for (const [method, path] of [
    ['POST', deployments],
    ['DELETE', deployments],
    ['DELETE', `${deployments}/source-controller`],
  ] as const)
    assert.equal((await send(method, path, { body: {} })).status, 405, `${method} ${path}`)
  assert.match(
    (await send('POST', deployments, { body: {} })).json.message,
    /accepts no Deployment: .*spec\.kubeConfig/,
  )
  const services = await send('GET', '/api/v1/namespaces/kube-system/services?labelSelector=a%3Db')
  assert.deepEqual([services.status, services.json.items], [200, []])
  const { resources } = (await send('GET', '/apis/apps/v1')).json
  assert.deepEqual(resources[0].verbs, ['get', 'list', 'watch'])
})

test('has no such group where no parts are shown', async () => {
  const { send } = await apiWorld()
  assert.equal((await send('GET', deployments)).status, 404)
})

test("shows Events under events.k8s.io's names too, and takes them", async () => {
  const { send } = await apiWorld()
  const events = '/apis/events.k8s.io/v1/namespaces/default/events'
  const regarding = { kind: 'ConfigMap', name: 'a', namespace: 'default' }
  const made = await send('POST', events, {
    body: {
      metadata: { name: 'e' },
      eventTime: '2026-01-02T03:04:05.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'one',
      action: 'Look',
      reason: 'Seen',
      note: 'here it is',
      type: 'Normal',
      regarding,
    },
  })
  assert.deepEqual(
    [made.status, made.json.apiVersion, made.json.note, made.json.regarding],
    [201, 'events.k8s.io/v1', 'here it is', regarding],
  )
  const core = (await send('GET', '/api/v1/namespaces/default/events/e')).json
  assert.deepEqual(
    [core.message, core.involvedObject, core.reportingComponent],
    ['here it is', regarding, 'example.com/c'],
  )
  const series = { count: 3, lastObservedTime: '2026-01-02T03:05:05.000000Z' }
  const type = 'application/merge-patch+json'
  assert.deepEqual((await send('PATCH', `${events}/e`, { body: { series }, type })).json.series, series)
  assert.deepEqual(
    (await send('GET', events)).json.items.map((item: { note: string }) => item.note),
    ['here it is'],
  )
  const table = await send('GET', events, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })
  assert.equal(table.json.rows[0].cells[3], 'configmap/a')
  assert.equal((await send('DELETE', `${events}/e`)).status, 200)
  assert.equal((await send('GET', '/api/v1/namespaces/default/events/e')).status, 404)
})
