/** Objects to be shown as tables, by kind. */
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const object = (apiVersion: string, kind: string, name: string, content: object): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, labels: { tabled: 'yes' } },
  ...content,
})

const time = '2026-01-02T03:04:05Z'
const ready = (status: string, message: string) => [
  { type: 'Reconciling', status: 'True', reason: 'Progressing', message: 'no', lastTransitionTime: time },
  { type: 'Ready', status, reason: 'Any', message, lastTransitionTime: time },
]
const about = (namespace: string | undefined) => ({ kind: 'ConfigMap', name: 'x', ...(namespace && { namespace }) })

const kustomization = (name: string, status?: object) =>
  object('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', name, {
    spec: { interval: '1m', prune: true, sourceRef: { kind: 'Bucket', name: 'a' } },
    ...(status && { status }),
  })

const rbac = 'rbac.authorization.k8s.io/v1'
const subjects = [
  { kind: 'User', name: 'jane' },
  { kind: 'ServiceAccount', name: 'bot', namespace: 'team' },
  { kind: 'Group', name: 'devs' },
  { kind: 'User', name: 'joe' },
]

export const tabled: Readonly<Record<string, readonly KubernetesObject[]>> = {
  Cluster: [
    object('fleet.keelson.dev/v1alpha1', 'Cluster', 'new', { spec: { kubeConfig: { secretRef: { name: 'prod' } } } }),
    object('fleet.keelson.dev/v1alpha1', 'Cluster', 'probed', {
      spec: { kubeConfig: { secretRef: { name: 'prod' } } },
      status: {
        conditions: ready('True', 'Kubernetes v1.36.3 responds at https://prod.example.com'),
        server: 'https://prod.example.com',
        kubernetesVersion: 'v1.36.3',
        latency: '12ms',
        credential: { type: 'Token', validUntil: '2027-01-02T03:04:05Z' },
      },
    }),
  ],
  Rollout: [
    object('fleet.keelson.dev/v1alpha1', 'Rollout', 'web', {
      spec: { sources: [{ kind: 'GitRepository', name: 'web' }], stages: [{ name: 'canary' }] },
      status: {
        conditions: ready('Unknown', 'RolloutRun web-7: waits for apps/paris of stage europe'),
        currentRun: 'web-7',
        currentRevision: 'main@sha1:abc',
        stage: 'europe',
        units: 12,
      },
    }),
  ],
  RolloutStrategy: [
    object('fleet.keelson.dev/v1alpha1', 'RolloutStrategy', 'careful', {
      spec: { stages: [{ name: 'canary' }, { name: 'others' }], onFailure: 'RollbackStage' },
    }),
  ],
  RolloutRun: [
    object('fleet.keelson.dev/v1alpha1', 'RolloutRun', 'web-7', {
      spec: {
        rollout: 'web',
        sources: [
          {
            kind: 'GitRepository',
            name: 'web',
            namespace: 'apps',
            artifact: {
              digest: 'sha256:00',
              lastUpdateTime: '2027-01-02T03:04:05Z',
              path: 'rolloutrun/apps/web-7/a.tar.gz',
              revision: 'main@sha1:abc',
              url: 'http://hub/a.tar.gz',
            },
          },
        ],
        stages: [{ name: 'canary' }],
      },
      status: { phase: 'Running', message: 'stage europe starts on 2 clusters' },
    }),
  ],
  Plan: [
    object('fleet.keelson.dev/v1alpha1', 'Plan', 'plan', {
      spec: {
        unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'app' },
        revision: 'main@sha1:abc',
        author: 'jane',
        digest: `sha256:${'0'.repeat(64)}`,
        counts: { created: 1, deleted: 2 },
        summary: '+1 -2',
        expiresAt: '2027-01-02T03:04:05Z',
      },
    }),
  ],
  Approval: [
    object('fleet.keelson.dev/v1alpha1', 'Approval', 'approval', {
      spec: {
        subject: { kind: 'Plan', name: 'plan' },
        digest: `sha256:${'0'.repeat(64)}`,
        decision: 'Approved',
        comment: 'as agreed',
        approver: 'joe',
      },
    }),
  ],
  ChangePolicy: [
    object('fleet.keelson.dev/v1alpha1', 'ChangePolicy', 'policy', {
      spec: { action: 'RequireApproval', validations: [{ expression: 'true' }] },
    }),
  ],
  PullRequest: [
    object('fleet.keelson.dev/v1alpha1', 'PullRequest', 'forge-12', {
      spec: {
        ...{ receiver: 'forge', provider: 'forge', number: '12', ref: 'refs/pull/12/head', commit: 'abc1234' },
        ...{ base: 'main', author: 'jane', state: 'Open', sources: [{ name: 'app', head: { name: 'app-pr-12' } }] },
      },
      status: { conditions: ready('True', '3 units: ~3'), head: 'abc1234', units: 3, summary: '~3' },
    }),
  ],
  Kustomization: [
    kustomization('new'),
    kustomization('ready', { conditions: ready('True', 'Applied revision: main@sha1:abc') }),
    kustomization('without-conditions', { conditions: [] }),
  ],
  HelmRelease: [
    object('helm.toolkit.fluxcd.io/v2', 'HelmRelease', 'release', {
      spec: { interval: '1m', chartRef: { kind: 'HelmChart', name: 'a' } },
      status: { conditions: ready('True', 'Helm install succeeded for release a/release.v1 with chart a@1.0.0') },
    }),
  ],
  GitRepository: [
    object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'repo', {
      spec: { interval: '1m', url: 'https://example.com/a.git' },
      status: { conditions: ready('False', 'failed to checkout\nfor a reason') },
    }),
  ],
  OCIRepository: [
    object('source.toolkit.fluxcd.io/v1', 'OCIRepository', 'repo', {
      spec: { interval: '1m', url: 'oci://example.com/a' },
      status: { conditions: ready('True', 'stored artifact') },
    }),
  ],
  Bucket: [
    object('source.toolkit.fluxcd.io/v1', 'Bucket', 'bucket', {
      spec: { interval: '1m', bucketName: 'a', endpoint: 's3.example.com' },
    }),
  ],
  HelmRepository: [
    object('source.toolkit.fluxcd.io/v1', 'HelmRepository', 'repo', {
      spec: { interval: '1m', url: 'https://example.com/charts' },
      status: { conditions: ready('True', 'stored artifact') },
    }),
  ],
  HelmChart: [
    object('source.toolkit.fluxcd.io/v1', 'HelmChart', 'chart', {
      spec: { interval: '1m', chart: 'a', sourceRef: { kind: 'HelmRepository', name: 'repo' } },
      status: { conditions: ready('Unknown', 'building artifact') },
    }),
  ],
  ExternalArtifact: [
    object('source.toolkit.fluxcd.io/v1', 'ExternalArtifact', 'artifact', {
      spec: { sourceRef: { kind: 'ArtifactGenerator', name: 'generator' } },
    }),
  ],
  Receiver: [
    object('notification.toolkit.fluxcd.io/v1', 'Receiver', 'hook', {
      spec: { type: 'github', secretRef: { name: 'a' }, resources: [{ kind: 'Bucket', name: 'a' }] },
    }),
  ],
  Provider: [
    object('notification.toolkit.fluxcd.io/v1beta3', 'Provider', 'chat', {
      spec: { type: 'slack', channel: 'general', secretRef: { name: 'a' } },
    }),
  ],
  Alert: [
    object('notification.toolkit.fluxcd.io/v1beta3', 'Alert', 'failures', {
      spec: { providerRef: { name: 'chat' }, eventSources: [{ kind: 'Kustomization', name: '*' }] },
    }),
  ],
  ResourceSet: [
    object('fluxcd.controlplane.io/v1', 'ResourceSet', 'apps', {
      spec: { inputs: [{ tenant: 'a' }], resourcesTemplate: 'kind: Namespace' },
      status: { conditions: ready('True', 'Reconciliation finished in 52s') },
    }),
  ],
  ImageRepository: [
    object('image.toolkit.fluxcd.io/v1', 'ImageRepository', 'image', {
      spec: { image: 'ghcr.io/org/app', interval: '1m' },
      status: {
        conditions: ready('True', 'successful scan: found 2 tags with checksum 1'),
        lastScanResult: { tagCount: 2, scanTime: time, revision: '1' },
      },
    }),
    object('image.toolkit.fluxcd.io/v1', 'ImageRepository', 'new', { spec: { image: 'nginx', interval: '1m' } }),
  ],
  ImageUpdateAutomation: [
    object('image.toolkit.fluxcd.io/v1', 'ImageUpdateAutomation', 'automation', {
      spec: { interval: '1m', sourceRef: { kind: 'GitRepository', name: 'a' } },
      status: { conditions: ready('True', 'repository up-to-date'), lastAutomationRunTime: time },
    }),
  ],
  ImagePolicy: [
    object('image.toolkit.fluxcd.io/v1', 'ImagePolicy', 'policy', {
      spec: { imageRepositoryRef: { name: 'image' }, policy: { alphabetical: {} } },
      status: {
        conditions: ready('True', 'Latest image tag for ghcr.io/org/app resolved to b'),
        latestRef: { name: 'ghcr.io/org/app', tag: 'b' },
      },
    }),
  ],
  FluxInstance: [
    object('fluxcd.controlplane.io/v1', 'FluxInstance', 'flux', {
      spec: { distribution: { version: '2.x', registry: 'ghcr.io/fluxcd' } },
      status: {
        conditions: ready('True', 'Reconciliation finished in 52s'),
        lastAppliedRevision: 'v2.3.0@sha256:4cc5babdb1279ad0177bf513292deadbfa3f7b7c3da0be7fa53b39ab434f7219',
      },
    }),
  ],
  ArtifactGenerator: [
    object('source.extensions.fluxcd.io/v1beta1', 'ArtifactGenerator', 'apps', {
      spec: {
        sources: [{ alias: 'repo', kind: 'GitRepository', name: 'app' }],
        artifacts: [{ name: 'app', copy: [{ from: '@repo/app/**', to: '@artifact/' }] }],
      },
      status: { conditions: ready('True', 'reconciliation succeeded, generated 1 artifact(s)') },
    }),
  ],
  ResourceSetInputProvider: [
    object('fluxcd.controlplane.io/v1', 'ResourceSetInputProvider', 'branches', {
      spec: { type: 'GitHubBranch', url: 'https://github.com/a/b' },
      status: { conditions: ready('Unknown', 'Reconciliation in progress') },
    }),
  ],
  Secret: [
    object('v1', 'Secret', 'empty', {}),
    object('v1', 'Secret', 'two', { type: 'example.com/mine', data: { a: 'YQ==', b: 'Yg==' } }),
  ],
  Role: [object(rbac, 'Role', 'reader', { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }] })],
  ClusterRole: [object(rbac, 'ClusterRole', 'tables-reader', { rules: [] })],
  RoleBinding: [object(rbac, 'RoleBinding', 'readers', { roleRef: { kind: 'Role', name: 'reader' }, subjects })],
  ClusterRoleBinding: [
    object(rbac, 'ClusterRoleBinding', 'tables-nobody', { roleRef: { kind: 'ClusterRole', name: 'reader' } }),
  ],
  CustomResourceDefinition: [
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'things.tables.example.com', {
      spec: {
        group: 'tables.example.com',
        scope: 'Cluster',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    }),
  ],
  ConfigMap: [object('v1', 'ConfigMap', 'both', { data: { a: '1' }, binaryData: { b: 'YQ==' } })],
  ServiceAccount: [
    object('v1', 'ServiceAccount', 'plain', {}),
    object('v1', 'ServiceAccount', 'two', { secrets: [{ name: 'a' }, { name: 'b' }] }),
  ],
  ResourceQuota: [
    object('v1', 'ResourceQuota', 'bare', {}),
    object('v1', 'ResourceQuota', 'counting', {
      spec: { hard: { 'count/secrets': '5', 'count/configmaps': 10, 'limits.cpu': '2' } },
      status: {
        hard: { 'count/secrets': '5', 'count/configmaps': '10', 'limits.cpu': '2' },
        used: { 'count/secrets': '1', 'count/configmaps': '0', 'limits.cpu': '0' },
      },
    }),
  ],
  Event: [
    object('v1', 'Event', 'bare', { involvedObject: about('tables') }),
    object('v1', 'Event', 'counted', {
      involvedObject: { ...about('tables'), fieldPath: 'spec.x' },
      type: 'Warning',
      reason: 'Failed',
      message: '  text with a\nline  ',
      count: 3,
      firstTimestamp: time,
      lastTimestamp: time,
      source: { component: 'controller', host: 'node' },
    }),
    object('v1', 'Event', 'series', {
      involvedObject: about('tables'),
      type: 'Normal',
      reason: 'Seen',
      action: 'a',
      message: 'm',
      eventTime: '2026-01-02T03:04:05.000000Z',
      series: { count: 5, lastObservedTime: '2026-01-02T04:04:05.000000Z' },
      reportingComponent: 'example.com/controller',
      reportingInstance: 'one',
    }),
    object('v1', 'Event', 'once', {
      involvedObject: about('tables'),
      reason: 'Seen',
      action: 'a',
      eventTime: '2026-01-02T03:04:05.000000Z',
      reportingComponent: 'controller',
      reportingInstance: 'one',
    }),
  ],
}
