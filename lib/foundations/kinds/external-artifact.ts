/** ExternalArtifact: an artifact that another controller creates and announces. */
import { artifact } from './artifact.ts'
import { ageColumn, readyColumns, reconciledStatus } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import type { TypeOf } from './schema/schema.ts'
import { object, optional, text, withDescription } from './schema/schema.ts'
import { sourceKindFields } from './source-fields.ts'

const spec = object('The controller that creates it.', {
  sourceRef: optional(
    object('The object for which it was created.', {
      apiVersion: optional(text('API version of the object.')),
      kind: text('Kind of the object.'),
      name: text('Name of the object.'),
      namespace: optional(text('Namespace of the object. Defaults to the namespace of this one.')),
    }),
  ),
})

const { conditions } = reconciledStatus

const status = object('The last published artifact.', {
  conditions,
  artifact: optional(withDescription('The latest artifact.', artifact)),
})

const schema = object('An artifact that another controller creates.', {
  spec: optional(spec),
  status: optional(status),
})

export type ExternalArtifact = KubernetesObject & TypeOf<typeof schema>

export const externalArtifact: Kind<ExternalArtifact> = {
  ...sourceKindFields,
  kind: 'ExternalArtifact',
  plural: 'externalartifacts',
  singular: 'externalartifact',
  shortNames: ['ea'],
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [ageColumn, ...readyColumns, { name: 'Source', type: 'string', jsonPath: '.spec.sourceRef.name' }],
    },
  ],
}
