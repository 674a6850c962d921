import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterTakeover } from '../../../../lib/clusters/apply/after-takeover.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const object = (spec: object, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a', namespace: 'default', ...metadata },
  spec,
})
const entry = (manager: string, fieldsV1: object, operation = 'Apply') => ({ manager, operation, fieldsV1 })

test('what Flux takes over and does not want goes: fields, items by key and by value, leftover annotations', () => {
  const port = (number: number, more: object = {}) => ({ port: number, protocol: 'TCP', ...more })
  const live = {
    type: 'ClusterIP',
    clusterIP: '10.0.0.1',
    sessionAffinity: 'ClientIP',
    ports: [port(80, { name: 'web' }), port(81), port(82)],
    externalIPs: ['1.1.1.1', '2.2.2.2'],
  }
  const key = (number: number) => `k:{"port":${number},"protocol":"TCP"}`
  const owned = {
    'f:spec': {
      'f:type': {},
      'f:sessionAffinity': {},
      'f:ports': { [key(80)]: { '.': {}, 'f:name': {} }, [key(81)]: { '.': {} }, [key(82)]: { '.': {} } },
      'f:externalIPs': { 'v:"1.1.1.1"': {}, 'v:"2.2.2.2"': {} },
    },
  }
  const elsewhere = { 'f:spec': { 'f:ports': { [key(82)]: { '.': {} } } } }
  const managedFields = [entry('kustomize-controller', owned), entry('other', elsewhere, 'Update')]
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', keep: 'x' }
  const wanted = object(live, { annotations })
  const takenOver = object(live, { annotations: { keep: 'x' }, managedFields })
  const desired = object({ type: 'ClusterIP', ports: [port(80)], externalIPs: ['2.2.2.2'] })
  assert.deepEqual(afterTakeover(wanted, takenOver, desired, 'kustomize-controller'), {
    ...object({
      type: 'ClusterIP',
      clusterIP: '10.0.0.1',
      ports: [port(80), port(82)],
      externalIPs: ['2.2.2.2'],
    }),
    metadata: { name: 'a', namespace: 'default', annotations: { keep: 'x' } },
  })
})

test('labels and annotations that the apply adds are there', () => {
  const note = { note: 'x' }
  const wanted = object({}, { labels: { app: 'a', old: 'b' }, annotations: note })
  const takenOver = object({}, { labels: { old: 'b' } })
  const desired = object({}, { labels: { app: 'a' }, annotations: note })
  assert.deepEqual(afterTakeover(wanted, takenOver, desired, 'kustomize-controller'), wanted)
})

test('what nobody took over stays as the dry-run has it', () => {
  const wanted = object({ type: 'ClusterIP' })
  assert.deepEqual(afterTakeover(wanted, wanted, object({}), 'kustomize-controller'), wanted)
})
