/**
 * FluxInstance of flux-operator, where it is the installation of Flux on a cluster. A hub is installed otherwise: it follows the source
 * in `spec.sync`, and reports which other fields do not apply to it.
 */
import { commonMetadata, inventory } from './applied.ts'
import { patch } from './applier-fields.ts'
import { ageColumn, duration, readyColumns, reconciledStatus } from './flux.ts'
import { installation, operatorDuration, operatorGroup } from './flux-operator.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { type FieldError, unsupported } from './schema/field-error.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, list, object, oneOf, optional, text } from './schema/schema.ts'

const distribution = object('Distribution of Flux to install.', {
  version: text('Version, or range of versions.'),
  registry: text('Registry of the images.'),
  variant: optional(
    oneOf('Variant of the images.', [
      'upstream-alpine',
      'enterprise-alpine',
      'enterprise-distroless',
      'enterprise-distroless-fips',
    ]),
  ),
  imagePullSecret: optional(text('Secret with the credentials of the registry.')),
  artifact: optional(text('OCI artifact with the manifests of the distribution.', { pattern: '^oci://.*$' })),
  artifactPullSecret: optional(text('Secret with the credentials of the artifact.')),
})

const component = oneOf('Name of the controller.', [
  'source-controller',
  'kustomize-controller',
  'helm-controller',
  'notification-controller',
  'image-reflector-controller',
  'image-automation-controller',
  'source-watcher',
])

const cluster = object('Cluster to install Flux on.', {
  type: optional(oneOf('Type of the cluster.', ['kubernetes', 'openshift', 'aws', 'azure', 'gcp'])),
  size: optional(oneOf('Size of the cluster.', ['small', 'medium', 'large'])),
  domain: optional(text('Domain of the cluster.')),
  networkPolicy: optional(flag('Restrict network access to the controllers.')),
  multitenant: optional(flag('Confine tenants.')),
  objectLevelWorkloadIdentity: optional(flag('Allow objects to name the ServiceAccount of their cloud identity.')),
  multitenantWorkloadIdentity: optional(flag('Confine tenants to the cloud identities of their ServiceAccounts.')),
  tenantDefaultServiceAccount: optional(text('ServiceAccount of objects that name none.')),
  tenantDefaultDecryptionServiceAccount: optional(text('The same, for decryption.')),
  tenantDefaultKubeConfigServiceAccount: optional(text('The same, for access to clusters.')),
})

const sync = object(
  'Source to follow: becomes a source and a Kustomization.',
  {
    name: optional(text('Name of both objects. Defaults to the namespace.', { maxLength: 63 })),
    kind: oneOf('Kind of the source.', ['OCIRepository', 'GitRepository', 'Bucket']),
    url: text('URL of the repository, or endpoint of the bucket.'),
    ref: text('Reference of a repository, such as `refs/heads/main`; tag of an artifact; name of a bucket.'),
    path: text('Folder with the manifests.'),
    pullSecret: optional(text('Secret with the credentials.')),
    provider: optional(oneOf('Provider of credentials.', ['generic', 'aws', 'azure', 'gcp', 'github'])),
    interval: optional(duration('Interval at which to check the source.', { default: '1m' })),
  },
  {
    'x-kubernetes-validations': [
      { message: 'Sync name is immutable', rule: 'has(self.name) == has(oldSelf.name)' },
      { message: 'Sync name is immutable', rule: '!has(self.name) || self.name == oldSelf.name' },
    ],
  },
)

const spec = object('Settings of the installation.', {
  distribution,
  components: optional(list('Controllers to install.', component)),
  cluster: optional(cluster),
  storage: optional(
    object('Volume for artifacts.', { class: text('Storage class.'), size: text('Size of the volume.') }),
  ),
  sharding: optional(
    object('Division of the work among controllers.', {
      key: optional(text('Label with the shard of an object.')),
      shards: list('Names of the shards.', text('Name of a shard.'), { minItems: 1 }),
      storage: optional(oneOf('Type of the volumes.', ['ephemeral', 'persistent'])),
    }),
  ),
  commonMetadata: optional(commonMetadata),
  kustomize: optional(object('Changes to the objects.', { patches: optional(list('Patches.', patch)) })),
  migrateResources: optional(flag('Store objects in their latest API versions.')),
  wait: optional(flag('Wait until the controllers are healthy.')),
  sync: optional(sync),
})

const status = object('The result of the last reconciliation.', {
  conditions: reconciledStatus.conditions,
  lastHandledReconcileAt: reconciledStatus.lastHandledReconcileAt,
  components: optional(
    list(
      'Parts of the hub.',
      object('A part.', {
        name: text('Name of the controller.'),
        repository: text('Repository of its image.'),
        tag: text('Tag of its image.'),
        digest: optional(text('Digest of its image.')),
      }),
    ),
  ),
  inventory: optional(inventory),
  lastAppliedRevision: optional(text('Version of Flux, and digest of what was applied.')),
  lastAttemptedRevision: optional(text('Version of Flux, and digest of what was last attempted.')),
})

const schema = object('Settings of an installation of Flux, of which a hub follows the source.', {
  spec,
  status: optional(status),
})

export type FluxInstance = KubernetesObject & TypeOf<typeof schema>
export type InstanceSync = TypeOf<typeof sync>

const checkName = ({ metadata: { name } }: FluxInstance): FieldError[] =>
  name === installation.name ? [] : [unsupported('metadata.name', name, [installation.name])]

export const fluxInstance: Kind<FluxInstance> = {
  group: operatorGroup,
  kind: 'FluxInstance',
  plural: 'fluxinstances',
  singular: 'fluxinstance',
  shortNames: [],
  categories: ['all', 'fluxcd'],
  namespaced: true,
  hasGeneration: true,
  check: checkName,
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [
        ageColumn,
        ...readyColumns,
        { name: 'Revision', type: 'string', jsonPath: '.status.lastAppliedRevision' },
      ],
    },
  ],
}

/** Milliseconds between two reconciliations. */
export const intervalOf = (instance: FluxInstance): number => operatorDuration(instance, 'reconcileEvery', 60 * 60_000)

/** Timeout of a reconciliation in milliseconds. */
export const timeoutOf = (instance: FluxInstance): number => operatorDuration(instance, 'reconcileTimeout', 5 * 60_000)
