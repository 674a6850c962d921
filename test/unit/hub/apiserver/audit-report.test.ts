/** The audit log that a hub keeps itself: what is in it, and who sees what of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '../../../../lib/foundations/fleet/audit-entry.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { createApiServer } from '../../../../lib/hub/apiserver/api-server.ts'
import type { AuditEvent } from '../../../../lib/hub/apiserver/audit/audit-event.ts'
import { auditInAll } from '../../../../lib/hub/apiserver/audit/audit-in-all.ts'
import { auditing } from '../../../../lib/hub/apiserver/audit/audit-trail.ts'
import { auditingInHub } from '../../../../lib/hub/apiserver/audit/kept-entries.ts'
import { auditReport } from '../../../../lib/hub/apiserver/fleet/audit-report.ts'
import { accessControl } from '../../../../lib/hub/authorize/access-control.ts'
import { bootstrapRoles } from '../../../../lib/hub/authorize/bootstrap-roles.ts'
import { systemRandom } from '../../../../lib/platform/adapters/embedded/system-random.ts'
import { by, hubWorld, registry } from '../store/world.ts'

const day = 24 * 60 * 60_000
const units = (namespace: string) => `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${namespace}/kustomizations`

/** A hub with the default roles, whose requests are kept for 90 days; users are whom a header names. */
const auditedHub = async () => {
  const { hub, clock, platform } = await hubWorld()
  await bootstrapRoles(hub)
  const failures: unknown[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (_: string, fields?: object) => void failures.push(fields) }
  const access = accessControl({ hub, clock, onError: error => assert.fail(String(error)) }, 0)
  const logged: AuditEvent[] = []
  const handle = createApiServer({
    ...{ hub, clock, kinds: () => registry, authorizer: access.authorizer },
    audit: auditInAll([
      auditingInHub({ ...platform, random: systemRandom, log }, 90 * day),
      auditing({
        ...{ clock, random: systemRandom, log, write: async event => void logged.push(event) },
        policy: { orderFor: () => ({ level: 'Metadata', omitStages: ['RequestReceived'], omitManagedFields: false }) },
      }),
    ]),
    fleet: auditReport({ ...platform, hub }, 90 * day),
    authenticate: async request => {
      const name = request.headers.get('x-user')
      return name
        ? { name, groups: ['system:authenticated'] }
        : { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
    },
  })
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    await clock.advance(1000)
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const request = new Request(`http://hub${path}`, {
      ...{ method, headers: { 'content-type': type, 'user-agent': 'kubectl/v1.34.0 (linux)', ...headers } },
      ...(body && { body: JSON.stringify(body) }),
    })
    const response = await handle(request, undefined, undefined, '192.0.2.7')
    const { audit: _, ...json } = JSON.parse((await response.text()) || '{}')
    return { status: response.status, json, id: response.headers.get('audit-id') }
  }
  const read = async (query = '', user = ''): Promise<readonly AuditEntry[]> => {
    const { status, json } = await send('GET', `/fleet/audit${query}`, undefined, user ? { 'x-user': user } : {})
    assert.equal(status, 200, JSON.stringify(json))
    return json.items
  }
  const namespace = async (name: string) =>
    hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, by('test'))
  const bind = (user: string, role: string, namespace: string) =>
    hub.create(
      {
        ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: user, namespace } },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      } as KubernetesObject,
      by('test'),
    )
  const unit = (name: string) => ({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name },
    spec: { interval: '10m', prune: true, path: './', sourceRef: { kind: 'GitRepository', name: 'app' } },
  })
  return { hub, clock, platform, send, read, namespace, bind, unit, logged, failures }
}

const inShort = ({ user, verb, resource, namespace = '', name = '', code, action = '' }: AuditEntry): string =>
  [user, verb, [resource, namespace, name].filter(Boolean).join('/'), code, action].filter(Boolean).join(' ')

test('who wrote what, when, from where, with what result and why; never what an object contains', async () => {
  const { send, read, namespace, unit, logged, failures } = await auditedHub()
  await namespace('apps')
  const made = await send('POST', units('apps'), unit('web'))
  await send('PATCH', `${units('apps')}/web`, {
    metadata: { annotations: { 'keelson.dev/suspended-for': 'we measure' } },
    spec: { suspend: true },
  })
  await send('POST', '/api/v1/namespaces/apps/secrets', {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' }, stringData: { token: 'hunter2-in-a-secret' } },
  })
  const invalid = { ...unit('bad'), spec: { ...unit('bad').spec, path: 'hunter2-in-a-spec', interval: 'hunter2-soon' } }
  assert.equal((await send('POST', units('apps'), invalid)).status, 422)
  await send('DELETE', `${units('apps')}/web`)
  assert.equal((await send('DELETE', `${units('apps')}/web`, undefined, { 'impersonate-user': 'jane' })).status, 403)
  const entries = await read()
  assert.deepEqual(entries.map(inShort), [
    'admin delete kustomizations/apps/web 403',
    'admin delete kustomizations/apps/web 200',
    'admin create kustomizations/apps 422',
    'admin create secrets/apps/token 201',
    'admin patch kustomizations/apps/web 200 suspended: we measure',
    'admin create kustomizations/apps/web 201',
  ])
  const [refused, , bad, , , first] = entries
  assert.deepEqual([refused?.as, refused?.reason], ['jane', 'Forbidden'])
  assert.match(refused?.message ?? '', /^kustomizations.* "web" is forbidden: User "jane" cannot delete/)
  assert.deepEqual([bad?.reason, bad?.message], ['Invalid', undefined])
  assert.deepEqual([first?.id, first?.from, first?.by], [made.id, '192.0.2.7', 'kubectl/v1.34.0'])
  assert.doesNotMatch(JSON.stringify(entries), /hunter2/)
  assert.equal(logged.find(({ verb }) => verb === 'create')?.auditID, made.id, 'all logs have the ID of the response')
  assert.ok(logged.some(({ annotations }) => annotations?.['keelson.dev/action'] === 'suspended: we measure'))
  assert.deepEqual(failures, [])
})

test('what changes nothing, or is no decision of anybody, is not kept', async () => {
  const { send, read, namespace, unit } = await auditedHub()
  await namespace('apps')
  await send('POST', units('apps'), unit('web'))
  await send('POST', `${units('apps')}?dryRun=All`, unit('other'))
  await send('PATCH', `${units('apps')}/web`, { spec: { interval: '10m' } })
  await send('PATCH', `${units('apps')}/web/status`, { status: { observedGeneration: 1 } })
  await send('GET', `${units('apps')}/web`)
  await send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' },
    spec: { resourceAttributes: { verb: 'get', resource: 'secrets' } },
  })
  assert.deepEqual((await read()).map(inShort), ['admin create kustomizations/apps/web 201'])
})

test('who may list objects sees what was done to them: in all namespaces, or in theirs since its creation', async () => {
  const { hub, clock, send, read, namespace, bind, unit } = await auditedHub()
  for (const name of ['apps', 'other']) await namespace(name)
  await bind('viewer', 'view', 'apps')
  await bind('owner', 'admin', 'apps')
  for (const name of ['apps', 'other']) {
    await send('POST', units(name), unit(`of-${name}`))
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `secret-of-${name}` } }
    await send('POST', `/api/v1/namespaces/${name}/secrets`, secret)
  }
  await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'third' } })
  const names = async (user: string) => (await read('', user)).map(({ name }) => name)
  assert.deepEqual(await names(''), ['third', 'secret-of-other', 'of-other', 'secret-of-apps', 'of-apps'])
  assert.deepEqual(await names('viewer'), ['of-apps'], 'who may not list Secrets does not learn of them')
  assert.deepEqual(await names('owner'), ['secret-of-apps', 'of-apps'])
  assert.deepEqual(await names('stranger'), [])
  assert.deepEqual(await read('?namespace=other', 'owner'), [])

  for (const kind of ['kustomizations/of-apps'])
    await send('DELETE', `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/apps/${kind}`)
  await send('DELETE', '/api/v1/namespaces/apps')
  await hub.settled()
  await clock.advance(60_000)
  await namespace('apps')
  await bind('viewer', 'view', 'apps')
  assert.deepEqual(await names('viewer'), [], 'nothing of an earlier namespace of that name')
})

test('is filtered and paged by the hub', async () => {
  const { clock, send, read, namespace, unit } = await auditedHub()
  await namespace('apps')
  const start = clock.now()
  for (const name of ['a', 'b', 'c', 'd', 'e']) await send('POST', units('apps'), unit(name))
  await send('DELETE', `${units('apps')}/a`)
  await send('DELETE', `${units('apps')}/a`)
  const names = async (query: string) => (await read(query)).map(({ verb, name }) => `${verb} ${name}`)
  assert.deepEqual(await names('?verb=delete'), ['delete a', 'delete a'])
  assert.deepEqual(await names('?verb=delete&refused=true'), ['delete a'])
  assert.deepEqual(await names('?object=Kustomizations/apps/B'), ['create b'])
  assert.deepEqual(await names('?user=nobody'), [])
  const [since, until] = [2, 3].map(after => new Date(start + after * 1000).toISOString())
  assert.deepEqual(await names(`?since=${since}&until=${until}`), ['create c', 'create b'])

  const paged: string[] = []
  let next = ''
  for (let pages = 0; pages < 5; pages++) {
    const { json } = await send('GET', `/fleet/audit?limit=3${next}`)
    paged.push(...json.items.map(({ name }: AuditEntry) => name))
    if (!json.continue) break
    next = `&continue=${json.continue}`
  }
  assert.deepEqual(paged, ['a', 'a', 'e', 'd', 'c', 'b', 'a'])
  for (const query of ['limit=0', 'limit=9999', 'since=soon', 'continue=x', 'refused=1', 'color=red'])
    assert.equal((await send('GET', `/fleet/audit?${query}`)).status, 400, query)
})

test('refused requests are kept up to ten in a minute for each caller, so that none can fill the table with them', async () => {
  const { clock, send, read, namespace } = await auditedHub()
  await namespace('apps')
  const attempt = (user: string) => send('DELETE', `${units('apps')}/web`, undefined, { 'x-user': user })
  await clock.advance(60_000 - (clock.now() % 60_000))
  for (let i = 0; i < 15; i++) await attempt('mallory')
  await attempt('jane')
  const by = async (user: string) => (await read(`?user=${user}`)).length
  assert.deepEqual([await by('mallory'), await by('jane')], [10, 1])
  await clock.advance(60_000)
  await attempt('mallory')
  assert.equal(await by('mallory'), 11)
})
