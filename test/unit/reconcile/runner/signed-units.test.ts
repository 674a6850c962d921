import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { unsignedPartOf } from '../../../../lib/reconcile/runner/signed-units.ts'

const unit = (spec: object, kind = 'Kustomization'): KubernetesObject =>
  ({ apiVersion: 'x/v1', kind, metadata: { name: 'app' }, spec }) as KubernetesObject

const signable = { sourceRef: { kind: 'GitRepository', name: 'app' }, path: './', prune: true, patches: [] }

test('a unit that only chooses a source and a path adds nothing to what is signed', () => {
  assert.equal(unsignedPartOf(unit(signable)), undefined)
})

test('whatever a hub can add to what is signed is named', () => {
  const added: readonly (readonly [object, string])[] = [
    [{ patches: [{ patch: 'x' }] }, 'spec.patches'],
    [{ images: [{ name: 'a', newName: 'evil' }] }, 'spec.images'],
    [{ components: ['../c'] }, 'spec.components'],
    [{ postBuild: { substitute: { a: 'b' } } }, 'spec.postBuild'],
    [{ targetNamespace: 'kube-system' }, 'spec.targetNamespace'],
    [
      { decryption: { provider: 'sops' }, healthCheckExprs: [{ apiVersion: 'v1', kind: 'Secret', current: 'true' }] },
      'spec.healthCheckExprs beside spec.decryption',
    ],
    [{ sourceRef: { kind: 'ExternalArtifact', name: 'a' } }, 'a source of kind ExternalArtifact'],
  ]
  for (const [spec, part] of added) assert.equal(unsignedPartOf(unit({ ...signable, ...spec })), part)
  const undone = unit(signable)
  const annotations = { 'keelson.dev/undo': `sha256:${'0'.repeat(64)}` }
  assert.equal(unsignedPartOf({ ...undone, metadata: { ...undone.metadata, annotations } }), 'an undo')
  for (const kind of ['HelmRelease', 'ResourceSet']) assert.equal(unsignedPartOf(unit({}, kind)), `a ${kind}`)
})
