import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeRef } from '../../../../lib/foundations/kinds/object.ts'
import { referencesOf } from '../../../../lib/hub/store/references.ts'

const found = (group: string, kind: string, spec: object): string[] =>
  referencesOf({ apiVersion: `${group}/v1`, kind, metadata: { name: 'me', namespace: 'team' }, spec }).map(describeRef)

const source = 'source.toolkit.fluxcd.io'

test('knows what each kind refers to', () => {
  assert.deepEqual(
    found('kustomize.toolkit.fluxcd.io', 'Kustomization', {
      sourceRef: { kind: 'GitRepository', name: 'app', namespace: 'shared' },
      kubeConfig: { secretRef: { name: 'prod' } },
      decryption: { secretRef: { name: 'age' } },
      serviceAccountName: 'deployer',
      dependsOn: [{ name: 'infra' }, { name: 'crds', namespace: 'shared' }],
      postBuild: {
        substituteFrom: [
          { kind: 'ConfigMap', name: 'vars' },
          { kind: 'Secret', name: 'more' },
        ],
      },
    }),
    [
      'GitRepository/shared/app',
      'Secret/team/prod',
      'Secret/team/age',
      'ServiceAccount/team/deployer',
      'Kustomization/team/infra',
      'Kustomization/shared/crds',
      'ConfigMap/team/vars',
      'Secret/team/more',
    ],
  )
  assert.deepEqual(
    found(source, 'GitRepository', {
      secretRef: { name: 'login' },
      proxySecretRef: { name: 'proxy' },
      verify: { secretRef: { name: 'keys' } },
      include: [{ repository: { name: 'other' } }],
    }),
    ['Secret/team/login', 'Secret/team/proxy', 'Secret/team/keys', 'GitRepository/team/other'],
  )
  assert.deepEqual(found(source, 'HelmChart', { sourceRef: { kind: 'HelmRepository', name: 'charts' } }), [
    'HelmRepository/team/charts',
  ])
  assert.deepEqual(found(source, 'Bucket', { secretRef: { name: 'a' }, sts: { secretRef: { name: 'b' } } }), [
    'Secret/team/a',
    'Secret/team/b',
  ])
  assert.deepEqual(
    found('notification.toolkit.fluxcd.io', 'Receiver', {
      secretRef: { name: 'token' },
      resources: [
        { kind: 'GitRepository', name: 'app' },
        { kind: 'Kustomization', name: 'app', namespace: 'shared' },
        { kind: 'OCIRepository', name: '*' },
      ],
    }),
    ['Secret/team/token', 'GitRepository/team/app', 'Kustomization/shared/app'],
  )
})

test('finds nothing in kinds without references, and in specs that are not what they should be', () => {
  assert.deepEqual(referencesOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }), [])
  assert.deepEqual(found('kustomize.toolkit.fluxcd.io', 'Kustomization', { sourceRef: {}, dependsOn: [{}] }), [])
})
