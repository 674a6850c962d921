/** Kustomization: builds a path of a source and keeps it applied to a cluster. */

import { commonMetadata, inventory, snapshot } from './applied.ts'
import { dependencyOn, healthCheckExpression, ignoreRule, image, kubeConfig, patch } from './applier-fields.ts'
import { checkDependsOn, dependencyRefs } from './depends-on.ts'
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

const sourceReference = object('Source of the files.', {
  apiVersion: optional(text('API version of the source.')),
  kind: oneOf('Kind of the source.', ['OCIRepository', 'GitRepository', 'Bucket', 'ExternalArtifact']),
  name: text('Name of the source.'),
  namespace: optional(text('Namespace of the source. Defaults to the namespace of this object.')),
})

const dependency = dependencyOn('Kustomization')

const healthCheck = object('An object that must be healthy.', {
  apiVersion: optional(text('API version. Defaults to the preferred one.')),
  kind: text('Kind of the object.'),
  name: text('Name of the object.'),
  namespace: optional(text('Namespace of the object.')),
})

const substituteReference = object('A ConfigMap or Secret whose entries are variables.', {
  kind: oneOf('Kind of the object.', ['Secret', 'ConfigMap']),
  name: text('Name of the object, in the namespace of this one.', { minLength: 1, maxLength: 253 }),
  optional: optional(flag('Whether it is optional.', { default: false })),
})

const postBuild = object('Substitution of variables in the build.', {
  substitute: optional(map('Variables and their values.', text('Value of a variable.'))),
  substituteFrom: optional(list('References to further variables.', substituteReference)),
  substituteStrategy: optional(
    oneOf('Whether to substitute if no variable is defined. Defaults to `WithVariables`, which does not.', [
      'WithVariables',
      'Always',
    ]),
  ),
})

const decryption = object('Settings for the decryption of files.', {
  provider: oneOf('Decryption engine.', ['sops']),
  secretRef: optional(localReference('Secret with the private keys.')),
  serviceAccountName: optional(text('ServiceAccount whose identity is used for key services of clouds.')),
})

const spec = object('Settings for build and apply.', {
  interval: duration('Interval at which to reconcile.'),
  retryInterval: optional(duration('Interval of retries after a failure. Defaults to the interval.')),
  timeout: optional(duration('Timeout of build, apply and health checks. Defaults to the interval minus 30s.')),
  sourceRef: sourceReference,
  path: optional(text('Folder in the source. Defaults to its root.')),
  prune: flag('Delete objects that are no longer in the source.'),
  suspend: optional(flag('Suspend reconciliation.')),
  dependsOn: optional(list('Kustomizations that must be ready first.', dependency)),
  kubeConfig: optional(kubeConfig),
  serviceAccountName: optional(text('ServiceAccount to act as.')),
  targetNamespace: optional(text('Namespace to set on all objects.', { minLength: 1, maxLength: 63 })),
  namePrefix: optional(text('Prefix for the names of all objects.', { minLength: 1, maxLength: 200 })),
  nameSuffix: optional(text('Suffix for the names of all objects.', { minLength: 1, maxLength: 200 })),
  commonMetadata: optional(commonMetadata),
  patches: optional(list('Patches for the objects.', patch)),
  images: optional(list('Images to replace.', image)),
  components: optional(list('Kustomize components to add.', text('Path of a component, relative to `path`.'))),
  ignoreMissingComponents: optional(flag('Ignore components that are missing from the source.')),
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
  wait: optional(flag('Wait until all objects are healthy, and ignore healthChecks.')),
  healthChecks: optional(list('Objects that must be healthy.', healthCheck)),
  healthCheckExprs: optional(list('Health check expressions for custom kinds.', healthCheckExpression)),
  deletionPolicy: optional(
    oneOf('What happens to the objects when this one is deleted. Defaults to `MirrorPrune`, which follows `prune`.', [
      'MirrorPrune',
      'Delete',
      'WaitForTermination',
      'Orphan',
    ]),
  ),
})

const status = object(
  'The result of the last reconciliation.',
  {
    ...reconciledStatus,
    lastAppliedRevision: optional(text('Last applied revision of the source.')),
    lastAppliedOriginRevision: optional(text('Origin revision of the source, if known.')),
    lastAttemptedRevision: optional(text('Last attempted revision.')),
    inventory: optional(inventory),
    history: optional(list('History of reconciliations.', snapshot)),
  },
  initialStatus,
)

const schema = object('Keeps a path of a source applied to a cluster.', { spec, status: optional(status) })

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
  check: checkDependsOn,
  references: ({ spec, metadata }, find) => [
    find.object(spec?.sourceRef, { group: sourceGroup }),
    ...adoptedNames({ metadata }).map(name => find.object({ name }, { group: kustomizeGroup, kind: 'Kustomization' })),
    find.secret(spec?.kubeConfig?.secretRef),
    find.configMap(spec?.kubeConfig?.configMapRef),
    find.secret(spec?.decryption?.secretRef),
    find.serviceAccount(spec?.serviceAccountName),
    ...(spec?.dependsOn ?? []).map(to => find.object(to, { group: kustomizeGroup, kind: 'Kustomization' })),
    ...(spec?.postBuild?.substituteFrom ?? []).map(from => find.object(from, { group: '' })),
    dependencyRefs({ metadata }),
  ],
  versions: [{ name: 'v1', storage: true, status: true, schema, columns: [ageColumn, ...readyColumns] }],
}

/** On a Kustomization: names of Kustomizations of its namespace, separated by commas. It takes over their objects when they are deleted. */
const adoptsAnnotation = 'keelson.dev/adopts'

/** An object before validation. */
interface Annotated {
  readonly metadata?:
    | {
        readonly name?: string | undefined
        readonly annotations?: Readonly<Record<string, string | undefined>> | undefined
      }
    | undefined
}

/** The names of the Kustomizations whose objects this one takes over. */
export const adoptedNames = ({ metadata }: Annotated): readonly string[] =>
  (metadata?.annotations?.[adoptsAnnotation] ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== metadata?.name)

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
