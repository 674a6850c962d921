import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOwnerLabels } from '../../../lib/apply/owner.ts'
import type { KubernetesObject } from '../../../lib/kinds/object.ts'
import { digestOf, rawDigestOf, specDigestOf } from '../../../lib/resource-set/digest.ts'

const owned = (namespace: string, object: object) =>
  withOwnerLabels(object as KubernetesObject, {
    group: 'fluxcd.controlplane.io',
    labelGroup: 'resourceset.fluxcd.controlplane.io',
    namespace,
    name: 'app',
  })
const configMap = (namespace: string, metadata: object, data: object) =>
  owned(namespace, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, ...metadata }, data })

test("RS-134 the digest of a set is flux-operator's (recorded: rs-disabled, rs-copy-from-bad)", () => {
  assert.equal(
    digestOf([configMap('rs-disabled', { name: 'cm' }, { k: 'v' })]),
    'sha256:97994f90f7b4cbb400b142ab0a5e4d2e027a17d4179868c052168b8526e8242c',
  )
  const annotations = { 'fluxcd.controlplane.io/copyFrom': 'src' }
  assert.equal(
    rawDigestOf([configMap('rs-copy-from-bad', { name: 'copy', annotations }, { key: 'value' })]),
    'sha256:30b213c911f641dd531f385b3aa7f636a4071273615f0c0b6e4f1ec816b9ad45',
  )
  assert.equal(digestOf([]), 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})

test('RS-132 what could not be rendered is known by the digest of its spec (recorded: rs-missing-key)', () => {
  const resources = [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cm-<< inputs.nope >>', namespace: 'rs-missing-key' },
      data: { k: 'v' },
    },
  ]
  const inputs = [
    { tenant: 'one', n: 1 },
    { tenant: 'two', n: 2 },
  ]
  assert.equal(
    specDigestOf({ resources, inputs }),
    'sha256:f49b04c2234adbd10b158b45ef98fcdcc129c862f3619e574289174377f855f1',
  )
})
