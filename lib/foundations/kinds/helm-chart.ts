/** HelmChart: a Helm chart, fetched or packaged, as an artifact. */

import { ageColumn, duration, initialStatus, localReference, readyColumns } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { sourceGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, list, object, oneOf, optional, text } from './schema/schema.ts'
import { oidcIdentities, signatureProvider, sourceKindFields, sourceStatus } from './source-fields.ts'

const sourceReference = object('Source of the chart.', {
  apiVersion: optional(text('API version of the source.')),
  kind: oneOf('Kind of the source.', ['HelmRepository', 'GitRepository', 'Bucket']),
  name: text('Name of the source, in the namespace of this object.'),
})

const verification = object('Settings for the verification of the signatures of the chart.', {
  provider: signatureProvider,
  secretRef: optional(localReference('Secret with the trusted public keys, or the trust policy and certificates.')),
  matchOIDCIdentity: optional(oidcIdentities),
})

const spec = object(
  'Settings of the chart.',
  {
    chart: text('Name of the chart in the HelmRepository, or its path in the source.'),
    version: optional(text('Range of versions, of which the highest is used. For a HelmRepository.', { default: '*' })),
    sourceRef: sourceReference,
    interval: duration('Interval at which to check for a new chart.'),
    reconcileStrategy: optional(
      oneOf(
        'What triggers a new artifact: another version of the chart, or another revision of the source.',
        ['ChartVersion', 'Revision'],
        { default: 'ChartVersion' },
      ),
    ),
    valuesFiles: optional(
      list('Files to merge into the values of the chart, later ones over earlier ones.', text('Path of a file.')),
    ),
    ignoreMissingValuesFiles: optional(flag('Ignore missing values files.')),
    verify: optional(verification),
    suspend: optional(flag('Suspend reconciliation.')),
  },
  {
    'x-kubernetes-validations': [
      {
        message: "spec.verify is only supported when spec.sourceRef.kind is 'HelmRepository'",
        rule: "!has(self.verify) || self.sourceRef.kind == 'HelmRepository'",
      },
    ],
  },
)

const status = object(
  'The result of the last build.',
  {
    ...sourceStatus,
    observedChartName: optional(text('Name of the chart in the artifact.')),
    observedSourceArtifactRevision: optional(text('Revision of the source of the chart.')),
    observedValuesFiles: optional(
      list('Values files that exist, if missing ones are ignored.', text('Path of a file.')),
    ),
  },
  initialStatus,
)

const schema = object('A Helm chart as an artifact.', { spec, status: optional(status) })

export type HelmChart = KubernetesObject & TypeOf<typeof schema>

export const helmChart: Kind<HelmChart> = {
  ...sourceKindFields,
  kind: 'HelmChart',
  plural: 'helmcharts',
  singular: 'helmchart',
  shortNames: ['hc'],
  references: ({ spec }, find) => [
    find.object(spec?.sourceRef, { group: sourceGroup }),
    find.secret(spec?.verify?.secretRef),
  ],
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [
        { name: 'Chart', type: 'string', jsonPath: '.spec.chart' },
        { name: 'Version', type: 'string', jsonPath: '.spec.version' },
        { name: 'Source Kind', type: 'string', jsonPath: '.spec.sourceRef.kind' },
        { name: 'Source Name', type: 'string', jsonPath: '.spec.sourceRef.name' },
        ageColumn,
        ...readyColumns,
      ],
    },
  ],
}
