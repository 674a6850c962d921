import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyStages, compareApplyOrder } from '../../../../lib/foundations/rules/apply-order.ts'

const object = (apiVersion: string, kind: string, name = 'x', namespace?: string) => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace && { namespace }) },
})
const core = (kind: string, name = 'x', namespace = 'default') => object('v1', kind, name, namespace)

test('KS-273 definitions, classes, custom stage kinds, the rest; each stage in kind order', () => {
  const stages = applyStages(
    [
      object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'),
      object('example.com/v1', 'Widget'),
      object('apps/v1', 'Deployment', 'web', 'prod'),
      core('ConfigMap', 'b'),
      core('ConfigMap', 'a'),
      object('storage.k8s.io/v1', 'StorageClass'),
      object('rbac.authorization.k8s.io/v1', 'ClusterRole'),
      object('v1', 'Namespace', 'prod'),
      object('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      core('ServiceAccount'),
      object('example.com/v1', 'Operator'),
    ],
    ({ group, kind }) => group === 'example.com' && kind === 'Operator',
  )
  assert.deepEqual(
    stages.map(({ stage, mustBeReady, objects }) => [
      stage,
      mustBeReady,
      objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
    ]),
    [
      ['definitions', true, ['CustomResourceDefinition/x', 'Namespace/prod', 'ClusterRole/x']],
      ['classes', true, ['StorageClass/x']],
      ['custom', false, ['Operator/x']],
      [
        'rest',
        false,
        [
          'ServiceAccount/x',
          'ConfigMap/a',
          'ConfigMap/b',
          'Deployment/web',
          'Widget/x',
          'ValidatingWebhookConfiguration/x',
        ],
      ],
    ],
  )
})

test('a Namespace of another group is no cluster definition', () => {
  assert.deepEqual(
    applyStages([object('example.com/v1', 'Namespace')]).map(({ stage }) => stage),
    ['rest'],
  )
})

test('sorts by kind, group, namespace and name', () => {
  const ref = (kind: string, group = '', namespace = '', name = '') => ({ kind, group, namespace, name })
  const ordered = [
    ref('ConfigMap', '', 'a', 'z'),
    ref('ConfigMap', '', 'b', 'a'),
    ref('Secret'),
    ref('Alert', 'b.io'),
    ref('Zebra', 'a.io'),
    ref('MutatingWebhookConfiguration', 'admissionregistration.k8s.io'),
  ]
  // Kinds without a rank are ordered by group before kind.
  const expected = [ordered[0], ordered[1], ordered[2], ordered[4], ordered[3], ordered[5]]
  assert.deepEqual(ordered.toReversed().sort(compareApplyOrder), expected)
})
