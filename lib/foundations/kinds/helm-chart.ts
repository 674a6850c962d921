/** HelmChart: a Helm chart, fetched or packaged, as an artifact. */

import { ageColumn, duration, initialStatus, localReference, readyColumns } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { sourceGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, list, object, oneOf, optional, text } from './schema/schema.ts'
import { oidcIdentities, signatureProvider, sourceKindFields, sourceStatus } from './source-fields.ts'

const sourceReference = object('Where the chart comes from.', {
  apiVersion: optional(text('API version of the source.')),
  kind: oneOf('Kind of the source.', ['HelmRepository', 'GitRepository', 'Bucket']),
  name: text('Name of the source, in the namespace of this object.'),
})

const verification = object('How signatures of the chart are verified.', {
  provider: signatureProvider,
  secretRef: optional(localReference('Secret with the trusted public keys, or the trust policy and certificates.')),
  matchOIDCIdentity: optional(oidcIdentities),
})

const spec = object(
  'Which chart, and how it is packaged.',
  {
    chart: text('Name of the chart in the HelmRepository, or path of it in the files of the source.'),
    version: optional(text('Range of versions whose highest one is taken; for a HelmRepository.', { default: '*' })),
    sourceRef: sourceReference,
    interval: duration('How often to check for a new chart.'),
    reconcileStrategy: optional(
      oneOf(
        'What makes a new artifact: another version of the chart, or another revision of the source.',
        ['ChartVersion', 'Revision'],
        { default: 'ChartVersion' },
      ),
    ),
    valuesFiles: optional(
      list(
        'Files that are merged into the values of the chart, later ones over earlier ones.',
        text('Path of a file.'),
      ),
    ),
    ignoreMissingValuesFiles: optional(flag('Leave out values files that are not there.')),
    verify: optional(verification),
    suspend: optional(flag('Stop reconciling.')),
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
  'What was last packaged.',
  {
    ...sourceStatus,
    observedChartName: optional(text('Name of the chart that the artifact holds.')),
    observedSourceArtifactRevision: optional(text('Revision of the source that the chart was taken from.')),
    observedValuesFiles: optional(
      list('Values files that were found, when missing ones are left out.', text('Path of a file.')),
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
