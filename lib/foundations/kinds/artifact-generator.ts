/** ArtifactGenerator: artifacts that are put together from the files of sources. */
import { ageColumn, readyColumns, reconciledStatus } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { sourceExtensionsGroup, sourceGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { list, map, object, oneOf, optional, text } from './schema/schema.ts'
import { sourceKindFields } from './source-fields.ts'

const alias = '([a-z0-9]([a-z0-9_-]*[a-z0-9])?)'

const source = object('A source of files.', {
  alias: text('Name of the source in the paths of `artifacts`.', {
    maxLength: 63,
    pattern: '^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$',
  }),
  kind: oneOf('Kind of the source.', ['Bucket', 'GitRepository', 'OCIRepository', 'HelmChart', 'ExternalArtifact']),
  name: text('Name of the source.', { maxLength: 253, pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' }),
  namespace: optional(
    text('Its namespace; that of this object when empty.', {
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
    }),
  ),
})

const path = (description: string, pattern: string) => text(description, { minLength: 1, maxLength: 1024, pattern })

const copyOperation = object('Copies files of a source into the artifact.', {
  from: path('`@alias/path`: a file, a folder or a pattern.', `^@${alias}/(.*)$`),
  to: path('`@artifact/path`.', '^@(artifact)/(.*)$'),
  exclude: optional(list('Patterns of files that are not copied.', text('A doublestar pattern.'), { maxItems: 100 })),
  strategy: optional(
    oneOf('What happens to files: overwritten, merged as YAML, or unpacked.', ['Overwrite', 'Merge', 'Extract']),
  ),
})

const revisionOf = (description: string) => optional(text(description, { maxLength: 64, pattern: `^@${alias}$` }))

const outputArtifact = object('An artifact.', {
  name: text('Name of its ExternalArtifact. With `pathPattern` a template.', { minLength: 1, maxLength: 253 }),
  copy: list('Copy operations, in order.', copyOperation, { minItems: 1 }),
  revision: revisionOf('The source whose revision the artifact gets. Defaults to `latest@<digest>`.'),
  originRevision: revisionOf('The source whose revision is noted as the origin of the artifact.'),
})

const entries = (description: string) => optional(map(description, text('Value.')))

const hasPathPattern = 'has(self.pathPattern) && size(self.pathPattern) > 0'
const objectName = String.raw`'^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'`

const spec = object(
  'Sources, and the artifacts to make of them.',
  {
    sources: list('The sources.', source, { minItems: 1, maxItems: 1000 }),
    artifacts: list('The artifacts.', outputArtifact, { minItems: 1, maxItems: 1000 }),
    pathPattern: optional(
      text('`@alias/apps/{app}`: makes the artifacts once for each folder that it matches.', {
        maxLength: 1024,
        pattern: `^@${alias}/(.*)$`,
      }),
    ),
    commonMetadata: optional(
      object('Metadata of all ExternalArtifacts.', {
        labels: entries('Labels.'),
        annotations: entries('Annotations.'),
      }),
    ),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'artifact names must be valid Kubernetes object names when pathPattern is not set',
        rule: `${hasPathPattern} || self.artifacts.all(a, a.name.matches(${objectName}))`,
      },
    ],
  },
)

const { conditions, lastHandledReconcileAt } = reconciledStatus

const status = object('The artifacts that were made.', {
  conditions,
  lastHandledReconcileAt,
  observedSourcesDigest: optional(text('Checksum of the digests, revisions and URLs of all sources.')),
  inventory: optional(
    list(
      'The ExternalArtifacts.',
      object('An ExternalArtifact.', {
        name: text('Its name.'),
        namespace: text('Its namespace.'),
        digest: text('Digest of its artifact.'),
        filename: text('File name of its artifact.'),
      }),
    ),
  ),
})

const schema = object('Artifacts that are put together from the files of sources.', {
  spec,
  status: optional(status),
})

export type ArtifactGenerator = KubernetesObject & TypeOf<typeof schema>

export const artifactGenerator: Kind<ArtifactGenerator> = {
  ...sourceKindFields,
  group: sourceExtensionsGroup,
  kind: 'ArtifactGenerator',
  plural: 'artifactgenerators',
  singular: 'artifactgenerator',
  shortNames: ['ag'],
  references: ({ spec }, find) => (spec?.sources ?? []).map(source => find.object(source, { group: sourceGroup })),
  versions: [
    {
      name: 'v1beta1',
      storage: true,
      status: true,
      schema,
      columns: [ageColumn, ...readyColumns],
    },
  ],
}

export type GeneratorSource = TypeOf<typeof source>
export type GeneratedArtifact = NonNullable<NonNullable<ArtifactGenerator['status']>['inventory']>[number]

/** The namespace of a source. */
export const namespaceOfSource = ({ metadata }: ArtifactGenerator, { namespace }: GeneratorSource): string =>
  namespace || (metadata.namespace ?? '')
