/** Kustomization: builds a path of a source and keeps it applied to a cluster. */

import { commonMetadata, inventory, snapshot } from './applied.ts'
import { dependencyOn, healthCheckExpression, ignoreRule, image, kubeConfig, patch } from './applier-fields.ts'
import { durationMs } from './duration.ts'
import {
  ageColumn,
  duration,
  initialStatus,
  intervalOf,
  localReference,
  readyColumns,
  reconciledStatus,
} from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { kustomizeGroup, sourceGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, list, map, object, oneOf, optional, text } from './schema/schema.ts'

const sourceReference = object('Where the files come from.', {
  apiVersion: optional(text('API version of the source.')),
  kind: oneOf('Kind of the source.', ['OCIRepository', 'GitRepository', 'Bucket', 'ExternalArtifact']),
  name: text('Name of the source.'),
  namespace: optional(text('Namespace of the source; that of this object when empty.')),
})

const dependency = dependencyOn('Kustomization')

const healthCheck = object('An object that must be healthy.', {
  apiVersion: optional(text('API version; the preferred one when empty.')),
  kind: text('Kind of the object.'),
  name: text('Name of the object.'),
  namespace: optional(text('Namespace of the object.')),
})

const substituteReference = object('A ConfigMap or Secret whose entries are variables.', {
  kind: oneOf('Kind of the object.', ['Secret', 'ConfigMap']),
  name: text('Name of the object, in the namespace of this one.', { minLength: 1, maxLength: 253 }),
  optional: optional(flag('Whether it may be missing.', { default: false })),
})

const postBuild = object('Replaces variables in what was built.', {
  substitute: optional(map('Variables and their values.', text('Value of a variable.'))),
  substituteFrom: optional(list('Where more variables come from.', substituteReference)),
  substituteStrategy: optional(
    oneOf("Whether to substitute when no variable is defined; `WithVariables` (don't) when empty.", [
      'WithVariables',
      'Always',
    ]),
  ),
})

const decryption = object('How Secrets in the files are decrypted.', {
  provider: oneOf('Engine that decrypts.', ['sops']),
  secretRef: optional(localReference('Secret with the private keys.')),
  serviceAccountName: optional(text('ServiceAccount to use a key service of a cloud with.')),
})

const spec = object('What to apply, and where.', {
  interval: duration('How often to reconcile.'),
  retryInterval: optional(duration('How long to wait after a failure; the interval when empty.')),
  timeout: optional(duration('How long build, apply and health checks may take; the interval less 30s when empty.')),
  sourceRef: sourceReference,
  path: optional(text('Folder in the source; its root when empty.')),
  prune: flag('Delete objects that are no longer in the source.'),
  suspend: optional(flag('Stop reconciling.')),
  dependsOn: optional(list('Kustomizations that must be ready first.', dependency)),
  kubeConfig: optional(kubeConfig),
  serviceAccountName: optional(text('ServiceAccount to act as.')),
  targetNamespace: optional(text('Namespace to put all objects in.', { minLength: 1, maxLength: 63 })),
  namePrefix: optional(text('Put before the name of every object.', { minLength: 1, maxLength: 200 })),
  nameSuffix: optional(text('Put after the name of every object.', { minLength: 1, maxLength: 200 })),
  commonMetadata: optional(commonMetadata),
  patches: optional(list('Patches to the objects.', patch)),
  images: optional(list('Images to replace.', image)),
  components: optional(list('Kustomize components to add.', text('Path of a component, relative to `path`.'))),
  ignoreMissingComponents: optional(flag('Leave out components that are not in the source.')),
  buildMetadata: optional(
    list(
      'Annotations with the origin of objects.',
      oneOf('One kind of annotation.', ['originAnnotations', 'transformerAnnotations']),
    ),
  ),
  decryption: optional(decryption),
  postBuild: optional(postBuild),
  ignore: optional(list('Fields that are neither compared nor applied.', ignoreRule)),
  force: optional(flag('Recreate objects whose immutable fields changed.', { default: false })),
  wait: optional(flag('Wait until all objects are healthy; healthChecks are then left aside.')),
  healthChecks: optional(list('Objects that must be healthy.', healthCheck)),
  healthCheckExprs: optional(list('How to determine the health of custom kinds.', healthCheckExpression)),
  deletionPolicy: optional(
    oneOf('What becomes of the objects when this one is deleted; `MirrorPrune` (as `prune` says) when empty.', [
      'MirrorPrune',
      'Delete',
      'WaitForTermination',
      'Orphan',
    ]),
  ),
})

const status = object(
  'What was last applied.',
  {
    ...reconciledStatus,
    lastAppliedRevision: optional(text('Revision of the source that was last applied.')),
    lastAppliedOriginRevision: optional(text('Revision that source was made from, where it says so.')),
    lastAttemptedRevision: optional(text('Revision that was last tried.')),
    inventory: optional(inventory),
    history: optional(list('The last reconciliations.', snapshot)),
  },
  initialStatus,
)

const schema = object('A path of a source that is kept applied to a cluster.', { spec, status: optional(status) })

export type { InventoryEntry, Snapshot } from './applied.ts'
export type Kustomization = KubernetesObject & TypeOf<typeof schema>
export type KustomizationSpec = TypeOf<typeof spec>
export type Dependency = TypeOf<typeof dependency>
export type SubstituteReference = TypeOf<typeof substituteReference>

export const kustomization: Kind<Kustomization> = {
  group: 'kustomize.toolkit.fluxcd.io',
  kind: 'Kustomization',
  plural: 'kustomizations',
  singular: 'kustomization',
  shortNames: ['ks'],
  categories: ['all', 'fluxcd', 'fluxcd-appliers'],
  namespaced: true,
  hasGeneration: true,
  references: ({ spec }, find) => [
    find.object(spec?.sourceRef, { group: sourceGroup }),
    find.secret(spec?.kubeConfig?.secretRef),
    find.configMap(spec?.kubeConfig?.configMapRef),
    find.secret(spec?.decryption?.secretRef),
    find.serviceAccount(spec?.serviceAccountName),
    ...(spec?.dependsOn ?? []).map(to => find.object(to, { group: kustomizeGroup, kind: 'Kustomization' })),
    ...(spec?.postBuild?.substituteFrom ?? []).map(from => find.object(from, { group: '' })),
  ],
  versions: [{ name: 'v1', storage: true, status: true, schema, columns: [ageColumn, ...readyColumns] }],
}

const minTimeout = durationMs('30s')

/** Milliseconds for build, apply and health checks: 30s less than the interval unless given, never under 30s. */
export const timeoutOf = (kustomization: Kustomization): number => {
  const { timeout } = kustomization.spec
  const ms = timeout === undefined ? intervalOf(kustomization) - durationMs('30s') : durationMs(timeout)
  return Math.max(ms, minTimeout)
}

/** Milliseconds to wait after a failure. */
export const retryIntervalOf = (kustomization: Kustomization): number => {
  const { retryInterval } = kustomization.spec
  return retryInterval === undefined ? intervalOf(kustomization) : durationMs(retryInterval)
}

/** Namespace of its source. */
export const sourceNamespaceOf = (kustomization: Kustomization): string =>
  kustomization.spec.sourceRef.namespace || kustomization.metadata.namespace || ''

export type DeletionPolicy = NonNullable<KustomizationSpec['deletionPolicy']>

/** What happens to the applied objects when the Kustomization is deleted, with `MirrorPrune` resolved. */
export const deletionPolicyOf = (kustomization: Kustomization): Exclude<DeletionPolicy, 'MirrorPrune'> => {
  const { deletionPolicy = 'MirrorPrune', prune } = kustomization.spec
  if (deletionPolicy !== 'MirrorPrune') return deletionPolicy
  return prune ? 'Delete' : 'Orphan'
}
