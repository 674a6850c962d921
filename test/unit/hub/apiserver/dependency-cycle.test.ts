import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kustomization } from '../store/world.ts'
import { apiWorld } from './world.ts'

const kustomizations = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations'
const repositories = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories'
const merge = 'application/merge-patch+json'
const on = (...names: string[]) => ({ dependsOn: names.map(name => ({ name })) })

const world = async () => {
  const { send } = await apiWorld()
  return async (method: string, path: string, body: object) => {
    const { status, headers } = await send(method, path, { body, ...(method === 'PATCH' && { type: merge }) })
    return { status, warning: headers.get('warning') ?? '' }
  }
}

test('warns the author of an object that closes a cycle of dependencies, and stores it', async () => {
  const write = await world()
  const create = (name: string, spec: object) => write('POST', kustomizations, kustomization(name, spec))
  assert.deepEqual(await create('a', on('b')), { status: 201, warning: '' })
  assert.deepEqual(await create('b', on('c')), { status: 201, warning: '' })
  const closed = await create('c', on('x', 'a'))
  assert.equal(closed.status, 201)
  const way = ['c', 'a', 'b', 'c'].map(name => `Kustomization/default/${name}`).join(' -> ')
  assert.equal(closed.warning, `299 - "dependency cycle ${way}: none of them will ever be reconciled"`)
  // Said when it is closed, not whenever one of them is written.
  assert.equal((await write('PATCH', `${kustomizations}/c`, { spec: { prune: false } })).warning, '')
  assert.equal((await write('PATCH', `${kustomizations}/c`, { spec: on('x') })).warning, '')
  assert.match((await write('PATCH', `${kustomizations}/c`, { spec: on('b') })).warning, /c -> .*\/b -> .*\/c: none/)
})

test('an object that waits for itself, and repositories that include each other', async () => {
  const write = await world()
  assert.match((await write('POST', kustomizations, kustomization('s', on('s')))).warning, /cycle .*\/s -> .*\/s: none/)
  const repository = (name: string, included: string) => ({
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name },
    spec: { interval: '1m', url: 'https://example.com/a.git', include: [{ repository: { name: included } }] },
  })
  assert.equal((await write('POST', repositories, repository('one', 'two'))).warning, '')
  assert.match((await write('POST', repositories, repository('two', 'one'))).warning, /GitRepository\/default\/two -> /)
})

test('a cycle through the annotation keelson.dev/depends-on is one, and an annotation that names no unit is refused', async () => {
  const write = await world()
  const annotated = (name: string, text: string, spec = {}) => {
    const object = kustomization(name, spec)
    return { ...object, metadata: { ...object.metadata, annotations: { 'keelson.dev/depends-on': text } } }
  }
  assert.equal(
    (await write('POST', kustomizations, annotated('a', 'HelmRelease/x, Kustomization/b@fleet/paris'))).warning,
    '',
  )
  assert.match(
    (await write('POST', kustomizations, kustomization('b', on('a')))).warning,
    /cycle .*\/b -> .*\/a -> .*\/b: none/,
  )
  for (const text of ['b', 'Deployment/b', 'Kustomization/b@', 'Kustomization/b, Kustomization/a/b/c'])
    assert.equal((await write('POST', kustomizations, annotated('c', text))).status, 422, text)
})

test('ResourceSets are followed to Kustomizations, and other kinds are not', async () => {
  const write = await world()
  const sets = '/apis/fluxcd.controlplane.io/v1/namespaces/default/resourcesets'
  const set = (dependsOn: readonly object[]) => ({
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    metadata: { name: 'set' },
    spec: { dependsOn, resources: [] },
  })
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'a' }
  const itself = { apiVersion: 'fluxcd.controlplane.io/v1', kind: 'ResourceSet', name: 'set' }
  assert.equal((await write('POST', sets, set([crd]))).warning, '')
  assert.match((await write('PATCH', `${sets}/set`, set([crd, itself]))).warning, /ResourceSet\/default\/set -> /)
})

test('what is malformed is refused as ever', async () => {
  const write = await world()
  for (const dependsOn of ['x', { a: 1 }, [null, 1]]) {
    const { status } = await write('POST', kustomizations, kustomization('m', { dependsOn }))
    assert.equal(status, 422, JSON.stringify(dependsOn))
  }
})
