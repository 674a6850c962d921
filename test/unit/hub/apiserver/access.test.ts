import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, bearerToken } from '../../../../lib/hub/apiserver/authentication/bearer-token.ts'
import type { Attributes, Authorize } from '../../../../lib/hub/apiserver/authentication/caller.ts'
import { allowAll } from '../../../../lib/hub/authorize/access.ts'
import { apiWorld, configMaps } from './world.ts'

const judging = (authorize: Authorize) => ({ ...allowAll, authorize })

test('knows nobody without the token', async () => {
  const { send } = await apiWorld({ authenticate: bearerToken('secret', admin) })
  const attempts: (Record<string, string> | undefined)[] = [
    undefined,
    { authorization: 'Bearer wrong' },
    { authorization: 'Basic secret' },
    { authorization: 'Bearer ' },
  ]
  for (const headers of attempts) {
    const { status, json } = await send('GET', configMaps, { headers })
    assert.deepEqual([status, json.reason, json.message], [401, 'Unauthorized', 'Unauthorized'])
  }
  assert.equal((await send('GET', configMaps, { headers: { authorization: 'Bearer secret' } })).status, 200)
})

test('serves version and health to everybody', async () => {
  const { send } = await apiWorld({ authenticate: async () => undefined })
  assert.deepEqual((await send('GET', '/version')).json.gitVersion, 'v1.36.3+keelson')
  for (const path of ['/healthz', '/livez', '/readyz']) assert.equal((await send('GET', path)).text, 'ok')
  assert.equal((await send('GET', '/api')).status, 401)
})

test('authorizes each request, and refuses with the messages of Kubernetes', async () => {
  const asked: Attributes[] = []
  const { send } = await apiWorld({
    authenticate: async () => ({ name: 'jane', groups: ['system:authenticated'] }),
    authorizer: judging(async attributes => {
      asked.push(attributes)
      return { allowed: false, reason: 'no rule' }
    }),
  })
  const refusals = [
    await send('GET', `${configMaps}/a`),
    await send('GET', '/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations?watch=1'),
    await send('PATCH', '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/team/kustomizations/app/status', { body: {} }),
    await send('GET', '/apis'),
  ]
  assert.deepEqual(
    refusals.map(({ status, json }) => `${status} ${json.message}`),
    [
      '403 configmaps "a" is forbidden: User "jane" cannot get resource "configmaps" in API group "" in the namespace "default": no rule',
      '403 kustomizations.kustomize.toolkit.fluxcd.io is forbidden: User "jane" cannot watch resource "kustomizations" in API group "kustomize.toolkit.fluxcd.io" at the cluster scope: no rule',
      '403 kustomizations.kustomize.toolkit.fluxcd.io "app" is forbidden: User "jane" cannot patch resource "kustomizations/status" in API group "kustomize.toolkit.fluxcd.io" in the namespace "team": no rule',
      '403 forbidden: User "jane" cannot get path "/apis": no rule',
    ],
  )
  assert.equal(asked.length, 4)
})

test('acts as another for those who may, with his groups only', async () => {
  const asked: string[] = []
  const { send } = await apiWorld({
    authorizer: judging(async ({ user, verb, resource }) => {
      if (verb === 'impersonate') asked.push(`${user.name} ${resource?.resource} ${resource?.name}`)
      return { allowed: user.name !== 'mallory' }
    }),
  })
  const whoami = (headers: Record<string, string>) =>
    send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: {}, headers })
  const account = await whoami({ 'impersonate-user': 'system:serviceaccount:team:bot' })
  assert.deepEqual(account.json.status.userInfo, {
    username: 'system:serviceaccount:team:bot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:team', 'system:authenticated'],
  })
  const jane = await whoami({ 'impersonate-user': 'jane', 'impersonate-group': 'devs' })
  assert.deepEqual(jane.json.status.userInfo, { username: 'jane', groups: ['devs', 'system:authenticated'] })
  assert.deepEqual(asked, [
    'kubernetes-admin serviceaccounts bot',
    'kubernetes-admin users jane',
    'kubernetes-admin groups devs',
  ])
  const nobody = await whoami({ 'impersonate-group': 'system:masters' })
  assert.deepEqual([nobody.status, nobody.json.message], [400, 'requested impersonation without specifying a user'])
})

test('reports what a user may do', async () => {
  const { send } = await apiWorld({
    authorizer: judging(async ({ verb }) => ({ allowed: verb === 'get' || verb === 'create' })),
  })
  const canI = async (verb: string) => {
    const body = { spec: { resourceAttributes: { verb, resource: 'secrets', namespace: 'default' } } }
    const { status, json } = await send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { body })
    return [status, json.status]
  }
  assert.deepEqual(await canI('get'), [201, { allowed: true }])
  assert.deepEqual(await canI('delete'), [201, { allowed: false }])
  const rules = await send('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    body: { spec: { namespace: 'a' } },
  })
  assert.deepEqual(rules.json.status, {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  })
})

test('takes paths only as they are meant', async () => {
  const { send } = await apiWorld()
  const status = async (method: string, path: string) => (await send(method, path)).status
  for (const path of [
    '/',
    '/api/v2',
    '/apis/nope.example.com',
    '/api/v1/namespaces/default/nothings',
    '/api/v1/namespaces/default/configmaps/a/b/c',
    '/api/v1/namespaces/default/configmaps/..%2f..',
    '/api/v1//configmaps',
    '/api/v1/configmaps/a',
    '/api/v1/namespaces/default/namespaces/x',
    '/apis/source.toolkit.fluxcd.io/v1beta1/gitrepositories',
  ])
    assert.equal(await status('GET', path), 404, path)
  assert.equal(await status('POST', '/api/v1/namespaces/default/configmaps/a'), 405)
  assert.equal(await status('DELETE', '/api/v1/namespaces'), 405)
  assert.equal(await status('POST', '/apis'), 405)
  assert.equal(await status('GET', '/api/v1/namespaces/default/'), 200)
})

test('distinguishes bugs from refusals, without revealing their text', async () => {
  const heard: unknown[] = []
  const { send, hub } = await apiWorld()
  const broken = { ...hub, get: async () => Promise.reject(new Error('token=hunter2')) }
  const world = await apiWorld({
    hub: broken,
    onError: (error, request) => heard.push((error as Error).message, request),
  })
  const { status, json } = await world.send('GET', `${configMaps}/a`)
  assert.deepEqual([status, json.reason, json.message.includes('hunter2')], [500, 'InternalError', false])
  assert.deepEqual(heard, ['token=hunter2', { method: 'GET', path: `${configMaps}/a` }])
  assert.equal((await send('GET', `${configMaps}/a`)).status, 404)
})
