/** HelmRelease: keeps a Helm chart installed on a cluster. */
import { commonMetadata } from './applied.ts'
import { dependencyOn, healthCheckExpression, kubeConfig } from './applier-fields.ts'
import { checkDependsOn, dependencyRefs } from './depends-on.ts'
import { ageColumn, duration, localReference, readyColumns } from './flux.ts'
import { driftDetection, install, postRenderer, rollback, tests, uninstall, upgrade } from './helm-release-actions.ts'
import { helmReleaseStatus } from './helm-release-status.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { type Found, helmGroup, sourceGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { type anyObject, flag, integer, list, map, object, oneOf, optional, text } from './schema/schema.ts'

const named = { minLength: 1, maxLength: 253 }
const namespaceName = { minLength: 1, maxLength: 63 }

const chartTemplate = object('The HelmChart that is created for this object, and owned by it.', {
  metadata: optional(
    object('Metadata of the HelmChart.', {
      labels: optional(map('Labels of the HelmChart.', text('Value of a label.'))),
      annotations: optional(map('Annotations of the HelmChart.', text('Value of an annotation.'))),
    }),
  ),
  spec: object('Spec of the HelmChart.', {
    chart: text('Name of the chart in the HelmRepository, or its path in the source.', {
      minLength: 1,
      maxLength: 2048,
    }),
    version: optional(text('Range of versions, of which the highest is used. For a HelmRepository.', { default: '*' })),
    sourceRef: object('Source of the chart.', {
      apiVersion: optional(text('API version of the source.')),
      kind: oneOf('Kind of the source.', ['HelmRepository', 'GitRepository', 'Bucket']),
      name: text('Name of the source.', named),
      namespace: optional(text('Namespace of the source. Defaults to the namespace of this object.', namespaceName)),
    }),
    interval: optional(
      duration('Interval at which to check for a new chart. Defaults to the interval of this object.'),
    ),
    reconcileStrategy: optional(
      oneOf(
        'What triggers a new artifact: another version of the chart, or another revision of the source.',
        ['ChartVersion', 'Revision'],
        { default: 'ChartVersion' },
      ),
    ),
    valuesFiles: optional(list('Files to merge into the values of the chart.', text('Path of a file.'))),
    ignoreMissingValuesFiles: optional(flag('Ignore missing values files.')),
    verify: optional(
      object('Settings for the verification of the signatures of the chart.', {
        provider: oneOf('Tool that made the signature.', ['cosign', 'notation'], { default: 'cosign' }),
        secretRef: optional(localReference('Secret with the trusted public keys.')),
      }),
    ),
  }),
})

const chartReference = object('The source with the chart.', {
  apiVersion: optional(text('API version of the source.')),
  kind: oneOf('Kind of the source.', ['OCIRepository', 'HelmChart', 'ExternalArtifact']),
  name: text('Name of the source.', named),
  namespace: optional(text('Namespace of the source. Defaults to the namespace of this object.', namespaceName)),
})

const dependency = dependencyOn('HelmRelease')

const valuesReference = object('A ConfigMap or Secret that holds values.', {
  kind: oneOf('Kind of the object.', ['Secret', 'ConfigMap']),
  name: text('Name of the object, in the namespace of this one.', named),
  valuesKey: optional(
    text('Key in the object. Defaults to `values.yaml`.', { maxLength: 253, pattern: String.raw`^[\-._a-zA-Z0-9]+$` }),
  ),
  targetPath: optional(
    text('Path of the single value to set, as for `helm --set`. If empty, the key contains a values file.', {
      maxLength: 250,
      pattern: String.raw`^([a-zA-Z0-9_\-.\\\/]|\[[0-9]{1,5}\])+$`,
    }),
  ),
  literal: optional(flag('Use the value literally, without the syntax of `helm --set`. Only with `targetPath`.')),
  optional: optional(flag('Whether the object or key is optional.')),
})

const spec = object(
  'Settings of the release.',
  {
    chart: optional(chartTemplate),
    chartRef: optional(chartReference),
    interval: duration('Interval at which to reconcile.'),
    kubeConfig: optional(kubeConfig),
    suspend: optional(flag('Suspend reconciliation.')),
    releaseName: optional(
      text('Name of the release. Defaults to `[targetNamespace-]name`.', { minLength: 1, maxLength: 53 }),
    ),
    targetNamespace: optional(
      text('Namespace of the release. Defaults to the namespace of this object.', namespaceName),
    ),
    storageNamespace: optional(
      text('Namespace in which the release is stored. Defaults to the namespace of this object.', namespaceName),
    ),
    dependsOn: optional(list('HelmReleases that must be ready first.', dependency)),
    timeout: optional(duration('Timeout of an action. Defaults to 5m.')),
    maxHistory: optional(integer('Maximum number of versions of the release to keep. Defaults to 5; 0 keeps all.')),
    serviceAccountName: optional(text('ServiceAccount to act as.', named)),
    persistentClient: optional(flag('Reuse the discovery of the cluster for the whole action.')),
    driftDetection: optional(driftDetection),
    install: optional(install),
    upgrade: optional(upgrade),
    test: optional(tests),
    rollback: optional(rollback),
    uninstall: optional(uninstall),
    valuesFrom: optional(list('References to further values.', valuesReference)),
    values: optional({
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Values for the chart.',
    } as ReturnType<typeof anyObject>),
    commonMetadata: optional(commonMetadata),
    postRenderStrategy: optional(
      oneOf('How hooks are post-rendered. Defaults to `combined`.', ['nohooks', 'combined', 'separate']),
    ),
    postRenderers: optional(list('Changes to the rendered chart.', postRenderer)),
    waitStrategy: optional(
      object('Settings for waiting until objects are ready.', {
        name: oneOf('Name of the strategy.', ['poller', 'legacy']),
      }),
    ),
    healthCheckExprs: optional(list('Health check expressions for custom kinds.', healthCheckExpression)),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'either chart or chartRef must be set',
        rule: '(has(self.chart) && !has(self.chartRef)) || (!has(self.chart) && has(self.chartRef))',
      },
    ],
  },
)

const schema = object('Keeps a Helm chart installed on a cluster.', {
  spec,
  status: optional(helmReleaseStatus),
})

export type HelmRelease = KubernetesObject & TypeOf<typeof schema>
export type HelmReleaseSpec = TypeOf<typeof spec>
export type { HelmReleaseStatus, ReleaseSnapshot } from './helm-release-status.ts'
export type ValuesReference = TypeOf<typeof valuesReference>
export type ReleaseDependency = TypeOf<typeof dependency>

/** The HelmChart that a HelmRelease has created, according to its status: `namespace/name`. */
const createdChartOf = (helmChart: string | undefined): Found => {
  if (!helmChart) return []
  const [namespace = '', name = ''] = helmChart.split('/')
  return [{ group: sourceGroup, kind: 'HelmChart', namespace, name }]
}

export const helmRelease: Kind<HelmRelease> = {
  group: helmGroup,
  kind: 'HelmRelease',
  plural: 'helmreleases',
  singular: 'helmrelease',
  shortNames: ['hr'],
  categories: ['all', 'fluxcd', 'fluxcd-appliers'],
  namespaced: true,
  hasGeneration: true,
  check: checkDependsOn,
  references: ({ spec, status, metadata }, find) => [
    find.object(spec?.chartRef, { group: sourceGroup }),
    find.secret(spec?.kubeConfig?.secretRef),
    find.configMap(spec?.kubeConfig?.configMapRef),
    find.serviceAccount(spec?.serviceAccountName),
    ...(spec?.dependsOn ?? []).map(to => find.object(to, { group: helmGroup, kind: 'HelmRelease' })),
    ...(spec?.valuesFrom ?? []).map(from => find.object(from, { group: '' })),
    createdChartOf(status?.helmChart),
    dependencyRefs({ metadata }),
  ],
  versions: [{ name: 'v2', storage: true, status: true, schema, columns: [ageColumn, ...readyColumns] }],
}
