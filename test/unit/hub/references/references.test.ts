import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import {
  configMapKind,
  createReferences,
  everyNamespace,
  secretKind,
  serviceAccountKind,
} from '../../../../lib/hub/references/references.ts'
import { requireSecret } from '../../../../lib/hub/references/require-secret.ts'
import type { HubListQuery } from '../../../../lib/hub/store/hub.ts'

const cluster = (name: string, kubeConfig: object, namespace = 'team') => ({
  apiVersion: 'fleet.keelson.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { name, namespace },
  spec: { kubeConfig },
})

const stored: readonly KubernetesObject[] = [
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'team' }, data: { k: 'dg==' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'team', labels: { x: 'y' } } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'other', labels: { x: 'y' } } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
  cluster('prod', { secretRef: { name: 'a' } }),
  cluster('twin', { secretRef: { name: 'a' } }),
  cluster('moved', { secretRef: { name: 'b' } }),
]

const hub = {
  get: async <T extends KubernetesObject>({ kind, namespace, name }: ObjectRef) =>
    stored.find(
      ({ metadata, ...one }) => one.kind === kind && metadata.name === name && (metadata.namespace ?? '') === namespace,
    ) as T | undefined,
  list: async <T extends KubernetesObject>({ kind, namespace, labelSelector }: HubListQuery) => ({
    items: stored.filter(
      ({ metadata, ...one }) =>
        one.kind === kind && metadata.namespace === namespace && (!labelSelector || metadata.labels),
    ) as unknown as readonly T[],
    resourceVersion: '1',
  }),
  // An index that lags behind: cluster `moved` has had another access, `gone` has existed.
  async *referrers(target: ObjectRef, of?: { readonly group: string; readonly kind: string }) {
    assert.deepEqual([of?.group, of?.kind], ['fleet.keelson.dev', 'Cluster'])
    if (target.kind !== 'Secret' || target.name !== 'a' || target.namespace !== 'team') return
    for (const name of ['prod', 'moved', 'gone', 'twin'])
      yield { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'team', name }
  },
}
const references = createReferences(hub)
const unit = { metadata: { namespace: 'team' } }
const namespaceFound = (object: KubernetesObject | undefined) => object?.metadata.namespace

suite('what a spec refers to', () => {
  test('a reference by name is resolved in its own namespace, whatever the name', async () => {
    assert.equal(namespaceFound(await references.local(unit, configMapKind, 'a')), 'team')
    for (const name of ['other/a', '../other/a', 'team', ''])
      assert.equal(await references.local(unit, configMapKind, name), undefined)
    assert.equal(await references.local({ metadata: {} }, serviceAccountKind, 'a'), undefined)
  })

  test('as a Secret comes decoded, under the name that messages have for it', async () => {
    const secret = await requireSecret(references, unit, 'a')
    assert.deepEqual([secret.name, secret.type, secret.data.get('k')?.toString()], ['team/a', 'Opaque', 'v'])
    await assert.rejects(requireSecret(references, unit, 'b'), {
      message: `failed to get secret 'team/b': secrets "b" not found`,
    })
  })

  test('a reference by label is resolved in its own namespace', async () => {
    const found = await references.localList(unit, configMapKind, 'x=y')
    assert.deepEqual(found.map(namespaceFound), ['team'])
  })

  test('with a namespace is found there, unless the operator forbids other namespaces', async () => {
    const at = (namespace: string, noCrossNamespaceRefs: boolean) =>
      references.anywhere(unit, configMapKind, { namespace, name: 'a' }, { noCrossNamespaceRefs })
    assert.equal(namespaceFound(await at('team', true)), 'team')
    assert.equal(namespaceFound(await at('other', false)), 'other')
    assert.equal(
      namespaceFound(await references.anywhere(unit, configMapKind, { namespace: 'other', name: 'a' }, everyNamespace)),
      'other',
    )
    await assert.rejects(at('other', true), { name: 'AccessDenied' })
  })

  test('the Clusters with an access are those that the index knows, as they are now', async () => {
    const found = await references.clustersWith({ kind: 'Secret', namespace: 'team', name: 'a' })
    assert.deepEqual(
      found.map(({ metadata }) => metadata.name),
      ['prod', 'twin'],
    )
    assert.deepEqual(await references.clustersWith({ kind: 'ConfigMap', namespace: 'team', name: 'a' }), [])
  })

  test('in a setting is where the setting says', async () => {
    const secret = await references.ofOperator(secretKind, { namespace: 'team', name: 'a' })
    assert.equal(namespaceFound(secret), 'team')
  })
})
