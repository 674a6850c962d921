import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditedRequest, readAuditPolicy } from '../../../../lib/hub/apiserver/audit/audit-policy.ts'
import { defaultAuditPolicy } from '../../../../lib/hub/apiserver/audit/default-policy.ts'
import { ConfigurationError } from '../../../../lib/hub/apiserver/configuration/read-configuration.ts'

const policyOf = (policy: object) =>
  readAuditPolicy(JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...policy }))

const jane = { name: 'jane', groups: ['devs', 'system:authenticated'] }
const bot = { name: 'system:serviceaccount:apps:bot', groups: ['system:serviceaccounts', 'system:authenticated'] }

const about = (verb: string, target: string, user: AuditedRequest['user'] = jane): AuditedRequest => {
  if (target.startsWith('/')) return { user, verb, path: target }
  const [, group = '', resource = '', subresource = '', namespace = '', name = ''] =
    /^(?:([a-z0-9.]*):)?([a-z]+)(?:\/([a-z]+))?(?:@([a-z]*))?(?:#(\w+))?$/.exec(target) ?? []
  return { user, verb, path: '', resource: { group, version: 'v1', resource, subresource, namespace, name } }
}

const refusal = (policy: object): string => {
  try {
    policyOf(policy)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
  return 'accepted'
}

test('the first rule that fits decides, and nothing is put on record where none fits', () => {
  const { orderFor } = policyOf({
    omitStages: ['RequestReceived'],
    rules: [
      { level: 'None', users: ['bot'] },
      { level: 'Metadata', userGroups: ['devs'], verbs: ['delete'] },
      { level: 'Request', resources: [{ group: 'apps.example.com', resources: ['widgets/status', 'gears/*'] }] },
      {
        level: 'RequestResponse',
        namespaces: ['a', ''],
        resources: [{ resources: ['configmaps'], resourceNames: ['one'] }],
      },
      { level: 'Request', resources: [{ resources: ['*/scale'] }], omitStages: ['Panic'], omitManagedFields: true },
      { level: 'Metadata', nonResourceURLs: ['/healthz*', '/version'] },
      { level: 'Metadata', namespaces: ['b'] },
    ],
  })
  const levelOf = (...request: Parameters<typeof about>) => orderFor(about(...request)).level
  assert.equal(levelOf('delete', 'secrets@a'), 'Metadata')
  assert.equal(levelOf('delete', 'secrets@a', bot), 'None')
  assert.equal(levelOf('get', 'apps.example.com:widgets/status@a'), 'Request')
  assert.equal(levelOf('get', 'apps.example.com:widgets@a'), 'None')
  assert.equal(levelOf('get', 'apps.example.com:gears@a'), 'Request', 'gears/* has gears themselves')
  assert.equal(levelOf('get', 'apps.example.com:gears/status@a'), 'Request')
  assert.equal(levelOf('get', 'configmaps@a#one'), 'RequestResponse')
  assert.equal(levelOf('get', 'configmaps@#one'), 'RequestResponse')
  assert.equal(levelOf('get', 'configmaps@a#two'), 'None')
  assert.equal(levelOf('get', 'configmaps@c#one'), 'None')
  assert.deepEqual(orderFor(about('get', 'things/scale@c')), {
    level: 'Request',
    omitStages: ['RequestReceived', 'Panic'],
    omitManagedFields: true,
  })
  assert.equal(levelOf('get', '/healthz/ping'), 'Metadata')
  assert.equal(levelOf('get', '/version'), 'Metadata')
  assert.equal(levelOf('get', '/version/x'), 'None')
  assert.equal(levelOf('get', 'anything@b'), 'Metadata')
  assert.equal(orderFor({ verb: 'get', path: '/version' }).level, 'Metadata', 'also of somebody unknown')
  assert.equal(orderFor({ ...about('delete', 'secrets@a'), user: undefined }).level, 'None')
})

test('by default each write is put on record, and each read of a Secret by a person', () => {
  const { orderFor } = readAuditPolicy(defaultAuditPolicy)
  const levelOf = (...request: Parameters<typeof about>) => orderFor(about(...request)).level
  for (const verb of ['create', 'update', 'patch', 'delete', 'deletecollection'])
    for (const user of [jane, bot])
      assert.equal(levelOf(verb, 'kustomize.toolkit.fluxcd.io:kustomizations@a', user), 'Metadata')
  for (const verb of ['get', 'list', 'watch']) {
    assert.equal(levelOf(verb, 'secrets@a'), 'Metadata')
    assert.equal(levelOf(verb, 'secrets@a', bot), 'None')
    assert.equal(levelOf(verb, 'configmaps@a'), 'None')
  }
  assert.equal(levelOf('create', 'serviceaccounts/token@a', bot), 'Metadata')
  assert.equal(levelOf('create', 'authorization.k8s.io:selfsubjectaccessreviews'), 'None')
  assert.equal(levelOf('get', '/metrics'), 'None')
})

test('names each fault of a policy by its field', () => {
  assert.match(refusal({}), /no rules/)
  assert.match(
    refusal({ rules: [{ level: 'None', user: ['x'] }] }),
    /strict decoding error: unknown field "rules\[0\]\.user"/,
  )
  const faults = refusal({
    omitStages: ['Never'],
    rules: [
      {},
      { level: 'All' },
      { level: 'None', nonResourceURLs: ['x', '/a*b', '*'], namespaces: ['a'] },
      { level: 'None', resources: [{ group: 'apps/v1', resourceNames: ['x'] }], omitStages: ['Some'] },
    ],
  })
  assert.deepEqual(faults.slice(1, -1).split(/, (?=rules|omitStages)/), [
    'rules[0].level: Required value',
    'rules[1].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    `rules[2].nonResourceURLs[0]: Invalid value: "x": non-resource URL rules must begin with a '/' character`,
    `rules[2].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
    'rules[2].nonResourceURLs: Invalid value: ["x","/a*b","*"]: rules cannot apply to both regular resources and non-resource URLs',
    `rules[3].resources.group: Invalid value: "apps/v1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    'rules[3].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource',
    'rules[3].omitStages[0]: Invalid value: "Some": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    'omitStages[0]: Invalid value: "Never": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
  ])
})
