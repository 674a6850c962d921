import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { isFluxKind, placedOnHub } from '../../../../lib/foundations/rules/hub-placement.ts'
import { type InheritedTarget, inheritedTarget, TargetError } from '../../../../lib/foundations/rules/target.ts'

const object = (kind: string, metadata: object, spec: object = {}) =>
  ({ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind, metadata, spec }) as unknown as KubernetesObject
const namespace = (name: string, annotations: object) =>
  ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } }) as unknown as KubernetesObject

const ofNamespace: InheritedTarget = {
  reference: { kind: 'Secret', namespace: 'clusters', name: 'prod' },
  setOn: 'Namespace',
  namespace: 'flux-system',
  prefix: 'prod-',
}
const ofObject: InheritedTarget = {
  reference: { kind: 'Secret', namespace: 'flux-system', name: 'prod' },
  setOn: 'object',
  namespace: 'flux-system',
  prefix: '',
}

test('references between objects of Flux follow them to the namespaces of the hub, and no others', () => {
  const placed = placedOnHub(
    object(
      'Kustomization',
      { name: 'apps', namespace: 'apps' },
      {
        targetNamespace: 'web',
        sourceRef: { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' },
        dependsOn: [{ name: 'a' }, { name: 'b', namespace: 'infra' }],
        healthChecks: [
          { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'web' },
          { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'c', namespace: 'infra' },
        ],
      },
    ),
    ofNamespace,
    isFluxKind,
  )
  assert.deepEqual(placed, {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'apps', namespace: 'prod-apps' },
    spec: {
      targetNamespace: 'web',
      sourceRef: { kind: 'GitRepository', name: 'fleet', namespace: 'prod-flux-system' },
      dependsOn: [{ name: 'a' }, { name: 'b', namespace: 'prod-infra' }],
      healthChecks: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'web' },
        { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'c', namespace: 'prod-infra' },
      ],
    },
  })
})

test('no name leads out of the namespaces of the cluster', () => {
  for (const name of ['staging-flux-system', 'prod-flux-system', '../staging', 'clusters'])
    for (const [kind, spec] of [
      ['Kustomization', { sourceRef: { kind: 'GitRepository', name: 'x', namespace: name } }],
      ['HelmRelease', { chartRef: { kind: 'OCIRepository', name: 'x', namespace: name } }],
      ['HelmRelease', { chart: { spec: { sourceRef: { kind: 'HelmRepository', name: 'x', namespace: name } } } }],
      ['Alert', { eventSources: [{ kind: 'GitRepository', name: '*', namespace: name }] }],
      ['Receiver', { resources: [{ kind: 'GitRepository', name: 'x', namespace: name }] }],
    ] as const) {
      const placed = placedOnHub(object(kind, { name: 'x', namespace: name }, spec), ofNamespace, isFluxKind)
      const namespaces = [...JSON.stringify(placed).matchAll(/"namespace":"([^"]*)"/g)].map(([, found]) => found)
      assert.deepEqual(new Set(namespaces), new Set([`prod-${name}`]), kind)
    }
})

test('a child in the namespace of a root with an annotation is given the same, unless it names another', () => {
  const told = (metadata: object) =>
    placedOnHub(object('Kustomization', { name: 'x', namespace: 'flux-system', ...metadata }), ofObject, isFluxKind)
      .metadata.annotations
  assert.deepEqual(told({}), { 'keelson.dev/target': 'prod' })
  assert.deepEqual(told({ annotations: { 'keelson.dev/target': 'staging' } }), { 'keelson.dev/target': 'staging' })
  assert.equal(told({ namespace: 'apps' }), undefined)
})

test('an object names a kubeconfig of its own namespace, and a Namespace any', () => {
  const annotated = (target: string) =>
    object('Kustomization', { name: 'x', namespace: 'apps', annotations: { 'keelson.dev/target': target } })
  const plain = object('Kustomization', { name: 'x', namespace: 'apps' })
  const shared = namespace('apps', { 'keelson.dev/target': 'clusters/prod' })
  assert.deepEqual(inheritedTarget(annotated('prod'), shared)?.reference.namespace, 'apps')
  assert.deepEqual(inheritedTarget(plain, shared)?.reference.namespace, 'clusters')
  assert.equal(inheritedTarget(plain, namespace('apps', {})), undefined)
  for (const target of ['clusters/prod', 'Secret/clusters/prod', 'a/b/c', 'Pod/prod', '../prod', ''])
    assert.throws(() => inheritedTarget(annotated(target), shared), TargetError, target)
})
