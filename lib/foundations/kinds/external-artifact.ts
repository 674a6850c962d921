/** ExternalArtifact: an artifact that another controller creates and announces. */
import { artifact } from './artifact.ts'
import { ageColumn, readyColumns, reconciledStatus } from './flux.ts'
import type { Kind } from './kind.ts'
import { groupOf, type KubernetesObject, type ObjectRef } from './object.ts'
import { sourceExtensionsGroup } from './references.ts'
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

/**
 * The ArtifactGenerator of the hub that makes an ExternalArtifact. Its artifact is then in the store, in the folder of the ExternalArtifact.
 * Undefined for an ExternalArtifact of another controller, whose artifact is at its URL.
 */
export const generatorOf = ({ metadata, spec }: ExternalArtifact): ObjectRef | undefined => {
  const { apiVersion = '', kind, name = '', namespace = metadata.namespace } = spec?.sourceRef ?? {}
  const isGenerator = kind === 'ArtifactGenerator' && groupOf(apiVersion) === sourceExtensionsGroup
  return isGenerator && namespace === metadata.namespace
    ? { group: sourceExtensionsGroup, kind, namespace: namespace ?? '', name }
    : undefined
}

/** Whether an object is an ExternalArtifact of another controller: its artifact is downloaded from its URL, and never read from the store. */
export const isMadeElsewhere = (source: KubernetesObject): boolean =>
  source.kind === externalArtifact.kind && generatorOf(source as ExternalArtifact) === undefined
