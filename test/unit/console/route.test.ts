import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectHref, parseObjectName, routeOf, runHref } from '../../../lib/console/model/route.ts'
import { localInput, timeOfInput } from '../../../lib/console/model/time-input.ts'
import { withQuery } from '../../../lib/hub-client/with-query.ts'

test('an address is read as it was written', () => {
  const name = { kind: 'Kustomization', namespace: 'apps', name: 'a.b c/d' }
  assert.deepEqual(routeOf(objectHref(name)), { page: 'object', ...name, tab: 'overview' })
  assert.deepEqual(routeOf(objectHref(name, 'yaml')), { page: 'object', ...name, tab: 'yaml' })
  assert.deepEqual(routeOf(runHref('apps', 'kustomization-web-0mjk1q2w3')), {
    ...{ page: 'run', namespace: 'apps', name: 'kustomization-web-0mjk1q2w3' },
  })
  for (const page of ['units', 'clusters', 'runs', 'login']) assert.deepEqual(routeOf(`/${page}`), { page })
  assert.deepEqual(routeOf('/'), { page: 'fleet' })
})

test('what is no page is missing, also what is not encoded right', () => {
  for (const path of ['/nowhere', '/units/x', '/objects/a', '/objects/a/b/c/d', '/objects/a/b/c/yaml/e', '/%'])
    assert.deepEqual(routeOf(path), { page: 'missing' }, path)
})

test('terms without a value leave the address', () => {
  assert.equal(withQuery('/units', { q: 'a b', state: '', kind: undefined }), '/units?q=a+b')
  assert.equal(withQuery('/units', {}), '/units')
})

test('names of fleets are Kind/namespace/name', () => {
  assert.deepEqual(parseObjectName('Cluster/apps/prod'), { kind: 'Cluster', namespace: 'apps', name: 'prod' })
  for (const text of ['hub', 'a/b', 'secret/apps/x']) assert.equal(parseObjectName(text), undefined, text)
})

test('times of a form are in the viewer’s zone, and the same again', () => {
  const time = '2026-11-28T14:02:00.000Z'
  assert.equal(timeOfInput(localInput(time)), time)
  assert.deepEqual([localInput(undefined), localInput('x'), timeOfInput('')], ['', '', ''])
})
