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
  const { resources } = (await send('GET', '/apis/apps/v1')).json
  assert.deepEqual(resources[0].verbs, ['get', 'list', 'watch'])
})

test('has no such group where no parts are shown', async () => {
  const { send } = await apiWorld()
  assert.equal((await send('GET', deployments)).status, 404)
})
