import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeoverPatch } from '../../../../lib/clusters/apply/field-managers.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../../../../lib/foundations/kinds/object.ts'

const manager = 'kustomize-controller'

const entry = (manager: string, operation: 'Apply' | 'Update', fieldsV1: object, subresource?: string) =>
  ({
    manager,
    operation,
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource && { subresource }),
  }) as ManagedFieldsEntry

const live = (managedFields: readonly ManagedFieldsEntry[], metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion: '7', managedFields, ...metadata },
})

const guard = { op: 'replace', path: '/metadata/resourceVersion', value: '7' }
const managers = (value: readonly ManagedFieldsEntry[]) => ({ op: 'replace', path: '/metadata/managedFields', value })

test('KS-286 makes us the applier of what kubectl had set, whichever way it was called', () => {
  const theirs = entry('tool-x', 'Update', { 'f:data': { 'f:x': {} } })
  const status = entry('kubectl', 'Update', { 'f:status': {} }, 'status')
  const taken = [
    entry('kubectl-client-side-apply', 'Update', { 'f:data': { 'f:a': {} } }),
    entry('kubectl', 'Apply', { 'f:data': { '.': {}, 'f:b': {} }, 'f:metadata': {} }),
    entry('before-first-apply', 'Update', { 'f:data': { 'f:c': {} } }),
    entry('kustomize-controller', 'Update', { 'f:data': { 'f:d': {} } }),
  ]
  const all = { 'f:data': { 'f:a': {}, '.': {}, 'f:b': {}, 'f:c': {}, 'f:d': {} }, 'f:metadata': {} }
  assert.deepEqual(takeoverPatch(live([theirs, ...taken, status]), manager), [
    guard,
    managers([theirs, status, entry(manager, 'Apply', all)]),
  ])
})

test('adds to what we have applied already', () => {
  const ours = entry(manager, 'Apply', { 'f:data': { 'f:a': {} } })
  const edit = entry('kubectl-edit', 'Update', { 'f:data': { 'f:a': {}, 'f:b': {} } })
  assert.deepEqual(takeoverPatch(live([ours, edit]), manager), [
    guard,
    managers([entry(manager, 'Apply', { 'f:data': { 'f:a': {}, 'f:b': {} } })]),
  ])
})

test('KS-287 takes over from managers that are named, by the beginning of their names', () => {
  const theirs = [entry('tool-x', 'Apply', { 'f:a': {} }), entry('tool-x/2', 'Update', { 'f:b': {} })]
  assert.equal(takeoverPatch(live(theirs), manager), undefined)
  assert.deepEqual(takeoverPatch(live(theirs), manager, ['tool-x']), [
    guard,
    managers([entry(manager, 'Apply', { 'f:a': {}, 'f:b': {} })]),
  ])
})

test('removes the marks that kubectl and older Flux had left', () => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', 'example.com/a': 'b' }
  const labels = { 'fluxcd.io/sync-gc-mark': 'x' }
  assert.deepEqual(takeoverPatch(live([], { annotations, labels }), manager), [
    guard,
    { op: 'remove', path: '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration' },
    { op: 'remove', path: '/metadata/labels/fluxcd.io~1sync-gc-mark' },
  ])
})

test('has nothing to do for objects that only others manage', () => {
  assert.equal(takeoverPatch(live([entry(manager, 'Apply', {}), entry('helm', 'Update', {})]), manager), undefined)
})
