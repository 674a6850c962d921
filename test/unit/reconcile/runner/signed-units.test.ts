import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { plannedOnly, unsignedPartOf } from '../../../../lib/reconcile/runner/signed-units.ts'
import type { Pass, Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'

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

test('where approvals must be signed, HelmReleases and ResourceSets are neither applied nor deleted, unless they are suspended: then nothing is done to their objects', async () => {
  const called: string[] = []
  const real = (kind: string) =>
    ({
      kind: { kind },
      reconcile: async () => called.push(`reconcile ${kind}`),
      finalize: async () => called.push(`finalize ${kind}`),
      preview: async () => called.push(`preview ${kind}`),
    }) as unknown as Reconciler<KubernetesObject>
  const pass = {} as Pass<KubernetesObject>
  const disabled = unit({}, 'ResourceSet')
  const off = {
    HelmRelease: unit({ suspend: true }, 'HelmRelease'),
    ResourceSet: {
      ...disabled,
      apiVersion: 'fluxcd.controlplane.io/v1',
      metadata: { ...disabled.metadata, annotations: { 'fluxcd.controlplane.io/reconcile': 'disabled' } },
    },
  }
  for (const [kind, suspended] of Object.entries(off)) {
    const { reconcile, finalize, preview } = plannedOnly(real(kind))
    const one = unit({}, kind)
    const outcomes = [await reconcile(one, pass), await finalize(one, pass)]
    assert.deepEqual(
      outcomes.map(outcome => outcome && 'reason' in outcome && [outcome.type, outcome.reason]),
      [
        ['stalled', 'NotVerified'],
        ['failed', 'NotVerified'],
      ],
    )
    await assert.rejects(preview!(one, pass), new RegExp(`no plan has all that a ${kind} does$`))
    assert.deepEqual(called, [])
    await finalize(suspended, pass)
    assert.deepEqual(called.splice(0), [`finalize ${kind}`])
  }
  const { reconcile, finalize, preview } = plannedOnly(real('Kustomization'))
  for (const call of [reconcile, finalize, preview!]) await call(unit(signable), pass)
  assert.deepEqual(called, ['reconcile Kustomization', 'finalize Kustomization', 'preview Kustomization'])
})
