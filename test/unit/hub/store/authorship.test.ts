import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { withAuthor } from '../../../../lib/hub/store/authorship.ts'
import { apiWorld } from '../apiserver/world.ts'
import { kustomization } from './world.ts'

const [suspendedBy, requestedBy] = ['keelson.dev/suspended-by', 'keelson.dev/requested-by']
const notes = ({ metadata: { annotations = {} } }: Pick<KubernetesObject, 'metadata'>) => [
  annotations[suspendedBy],
  annotations[requestedBy],
]
const path = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations'
const merge = 'application/merge-patch+json'

test('records in an object who suspended it and who requested its reconciliation, whatever the verb', async () => {
  const { send } = await apiWorld()
  const patch = async (body: object, type = merge, query = '') =>
    (await send('PATCH', `${path}/app${query}`, { body, type })).json as KubernetesObject
  const created = await send('POST', path, { body: kustomization('app') })
  assert.deepEqual(notes(created.json), [undefined, undefined])

  assert.deepEqual(notes(await patch({ spec: { suspend: true } })), ['kubernetes-admin', undefined])
  assert.deepEqual(notes(await patch({ metadata: { labels: { a: 'b' } } })), ['kubernetes-admin', undefined])
  assert.deepEqual(notes(await patch({ spec: { suspend: false } })), [undefined, undefined])

  const asked = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': '1' } } }
  assert.deepEqual(notes(await patch(asked)), [undefined, 'kubernetes-admin'])

  const { apiVersion, kind, metadata } = created.json
  const applied = { apiVersion, kind, metadata: { name: metadata.name }, spec: { suspend: true } }
  const apply = 'application/apply-patch+yaml'
  assert.equal(notes(await patch(applied, apply, '?fieldManager=git&force=true'))[0], 'kubernetes-admin')
})

test('names the latest requester; other fields, and other kinds, stay unchanged', () => {
  const object = (apiVersion: string, spec: object, annotations: object = {}) =>
    ({ apiVersion, kind: 'X', metadata: { name: 'a', annotations }, spec }) as KubernetesObject
  const flux = (spec: object, annotations?: object) => object('source.toolkit.fluxcd.io/v1', spec, annotations)
  const asked = (at: string, by?: string) => ({
    'reconcile.fluxcd.io/requestedAt': at,
    ...(by && { [requestedBy]: by }),
  })
  assert.deepEqual(notes(withAuthor(flux({}, asked('2', 'ann')), flux({}, asked('1', 'ann')), 'ben')), [
    undefined,
    'ben',
  ])
  const same = flux({ suspend: true }, { [suspendedBy]: 'ann' })
  assert.equal(withAuthor(same, same, 'ben'), same)
  assert.equal(withAuthor(same, undefined, undefined), same)
  const other = object('batch/v1', { suspend: true })
  assert.equal(withAuthor(other, undefined, 'ben'), other)
  // ResourceSets are switched off by an annotation.
  const disabled = object('fluxcd.controlplane.io/v1', {}, { 'fluxcd.controlplane.io/reconcile': 'disabled' })
  assert.deepEqual(notes(withAuthor(disabled, object('fluxcd.controlplane.io/v1', {}), 'ben')), ['ben', undefined])
})

test('who has undone a unit is not for others to say: they could approve their own undo', () => {
  const unit = (annotations: object) =>
    ({ ...kustomization('app'), metadata: { name: 'app', annotations } }) as unknown as KubernetesObject
  const by = (object: KubernetesObject) => object.metadata.annotations?.['keelson.dev/undone-by']
  const undone = withAuthor(unit({ 'keelson.dev/undo': 'a', 'keelson.dev/undone-by': 'ben' }), unit({}), 'ann')
  assert.equal(by(undone), 'ann')
  const forged = unit({ 'keelson.dev/undo': 'a', 'keelson.dev/undone-by': 'ben' })
  assert.equal(by(withAuthor(forged, undone, 'ann')), 'ann')
  assert.equal(by(withAuthor(unit({ 'keelson.dev/undo': 'b' }), undone, 'cem')), 'cem')
  assert.equal(by(withAuthor(unit({ 'keelson.dev/undone-by': 'ann' }), undone, 'cem')), undefined)
})

test('why a unit was undone is forgotten with the undo', () => {
  const unit = (annotations: object) =>
    ({ ...kustomization('app'), metadata: { name: 'app', annotations } }) as unknown as KubernetesObject
  const reason = (object: KubernetesObject) => object.metadata.annotations?.['keelson.dev/undone-for']
  const undone = withAuthor(unit({ 'keelson.dev/undo': 'a', 'keelson.dev/undone-for': 'incident' }), unit({}), 'ann')
  assert.equal(reason(undone), 'incident')
  assert.equal(reason(withAuthor(unit({ 'keelson.dev/undone-for': 'incident' }), undone, 'ann')), undefined)
})

test('records in a RolloutRun who gave the last order', () => {
  const runOf = (order?: object, annotations: object = {}) =>
    ({
      apiVersion: 'fleet.keelson.dev/v1alpha1',
      kind: 'RolloutRun',
      metadata: { name: 'web-1', annotations },
      spec: { ...(order && { order }) },
    }) as KubernetesObject
  const by = ({ metadata }: KubernetesObject) => metadata.annotations?.['keelson.dev/ordered-by']
  const paused = withAuthor(runOf({ type: 'Pause', id: '1' }), runOf(), 'ann')
  assert.equal(by(paused), 'ann')
  const forged = runOf({ type: 'Resume', id: '2' }, { 'keelson.dev/ordered-by': 'ann' })
  assert.equal(by(withAuthor(forged, paused, 'ben')), 'ben')
  assert.equal(withAuthor(paused, paused, 'ben'), paused)
})
