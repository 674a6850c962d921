import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '../../../../lib/foundations/kinds/policy-rule.ts'
import type { Attributes } from '../../../../lib/hub/authorize/access.ts'
import { missingRules, TooManyPermissions } from '../../../../lib/hub/authorize/rule-covering.ts'
import { allows } from '../../../../lib/hub/authorize/rule-matching.ts'

const user = { name: 'jane', groups: [] }
const about = (verb: string, what: string): Attributes => {
  if (what.startsWith('/')) return { user, verb, path: what }
  const [, group = '', resource = '', subresource = '', name = ''] = /^([^:]*):([^/:]*)(?:\/([^:]*))?(?::(.*))?$/.exec(
    what,
  )!
  return { user, verb, path: '', resource: { group, version: 'v1', resource, subresource, namespace: 'a', name } }
}
const on = (apiGroups: string, resources: string, verbs: string, more: object = {}): PolicyRule => ({
  apiGroups: apiGroups.split(' '),
  resources: resources.split(' '),
  verbs: verbs.split(' '),
  ...more,
})

const cases: readonly (readonly [rule: PolicyRule, verb: string, what: string, allowed: boolean])[] = [
  [on('', 'secrets', 'get'), 'get', ':secrets', true],
  [on('', 'secrets', 'get'), 'list', ':secrets', false],
  [on('', 'secrets', '*'), 'anything', ':secrets', true],
  [on('', 'secrets', 'get'), 'get', 'apps:secrets', false],
  [on('*', 'secrets', 'get'), 'get', 'apps:secrets', true],
  [on('', '*', 'get'), 'get', ':pods/log', true],
  [on('', 'pods', 'get'), 'get', ':pods/log', false],
  [on('', 'pods/log', 'get'), 'get', ':pods', false],
  [on('', '*/log', 'get'), 'get', ':pods/log', true],
  [on('', '*/log', 'get'), 'get', ':pods', false],
  [on('', 'secrets', 'get', { resourceNames: ['a', 'b'] }), 'get', ':secrets:b', true],
  [on('', 'secrets', 'get', { resourceNames: ['a', 'b'] }), 'get', ':secrets:c', false],
  [on('', 'secrets', 'list', { resourceNames: ['a'] }), 'list', ':secrets', false],
  [on('*', '*', '*'), 'get', '/healthz', false],
  [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }, 'get', '/healthz', true],
  [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }, 'get', '/healthz/ping', false],
  [{ verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, 'get', '/healthz/ping', true],
  [{ verbs: ['get'], nonResourceURLs: ['*'] }, 'post', '/healthz', false],
  [{ verbs: ['get'], nonResourceURLs: ['*'] }, 'get', ':secrets', false],
]

test('a rule allows its verbs on its resources and paths, and nothing else', () => {
  for (const [rule, verb, what, allowed] of cases)
    assert.equal(allows(rule, about(verb, what)), allowed, `${JSON.stringify(rule)} ${verb} ${what}`)
})

test('what is missing is reported by resource', () => {
  const held = [
    on('', 'pods secrets', 'get list'),
    on('*', '*/status', 'get'),
    on('', 'configmaps', '*', { resourceNames: ['a'] }),
  ]
  assert.deepEqual(missingRules(held, [on('', 'pods', 'get'), on('apps', 'x/status', 'get')]), [])
  assert.deepEqual(missingRules(held, [on('', 'configmaps', 'delete', { resourceNames: ['a'] })]), [])
  assert.deepEqual(missingRules(held, [on(' apps', 'pods', 'get delete watch')]), [
    on('apps', 'pods', 'get delete watch'),
    on('', 'pods', 'delete watch'),
  ])
  assert.deepEqual(missingRules(held, [on('', 'configmaps', 'get')]), [on('', 'configmaps', 'get')])
  assert.deepEqual(missingRules(held, [on('', '*', 'get')]), [on('', '*', 'get')])
  assert.deepEqual(
    missingRules([{ verbs: ['*'], nonResourceURLs: ['/a/*'] }], [{ verbs: ['get'], nonResourceURLs: ['/a/b', '/b'] }]),
    [{ verbs: ['get'], nonResourceURLs: ['/b'] }],
  )
})

test('a rule with millions of permissions is not expanded', () => {
  const many = Array.from({ length: 1000 }, (_, index) => `r${index}`)
  assert.throws(() => missingRules([], [{ verbs: many, apiGroups: many, resources: many }]), TooManyPermissions)
})
