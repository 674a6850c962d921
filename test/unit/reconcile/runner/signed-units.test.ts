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
  assert.equal(unsignedPartOf(unit({}, 'HelmRelease')), 'a HelmRelease')
})

test('where approvals must be signed, a HelmRelease is neither applied nor uninstalled, unless it is suspended: then nothing is done to its objects', async () => {
  const called: string[] = []
  const real = {
    reconcile: async ({ kind }: KubernetesObject) => called.push(`reconcile ${kind}`),
    finalize: async ({ kind }: KubernetesObject) => called.push(`finalize ${kind}`),
  } as unknown as Reconciler<KubernetesObject>
  const { reconcile, finalize } = plannedOnly(real)
  const pass = {} as Pass<KubernetesObject>
  const release = unit({}, 'HelmRelease')
  const outcomes = [await reconcile(release, pass), await finalize(release, pass)]
  assert.deepEqual(
    outcomes.map(outcome => outcome && 'reason' in outcome && [outcome.type, outcome.reason]),
    [
      ['stalled', 'NotVerified'],
      ['failed', 'NotVerified'],
    ],
  )
  assert.deepEqual(called, [])
  await finalize(unit({ suspend: true }, 'HelmRelease'), pass)
  await reconcile(unit(signable), pass)
  await finalize(unit(signable), pass)
  assert.deepEqual(called, ['finalize HelmRelease', 'reconcile Kustomization', 'finalize Kustomization'])
})
