import { defaultBuildLimits, type Limits } from '../../foundations/budget/budget.ts'
import { clusterChanges } from '../../foundations/rules/cluster-binding.ts'
import { defaultMaxFields } from '../../hub/store/create-hub.ts'
import { defaultKustomizationSettings as kustomization } from '../../reconcile/kustomization/settings.ts'
import { digestAlgorithms } from '../../reconcile/source-artifact/artifact-storage.ts'
import { helmLimits } from '../../sources/helm/helm-limits.ts'
import { publicMirror } from '../../sources/verify/sigstore/sigstore-trust.ts'
import { type Choices, type Chosen, choice, openChoice } from './choice.ts'
import {
  addressRange,
  byteCount,
  duration,
  type Form,
  labelSelector,
  limits,
  listOf,
  objectName,
  oneOf,
  onOff,
  switched,
  text,
  wholeNumber,
} from './value-form.ts'

/** How a setting is called from outside, where that does not follow from its name. */
export interface Ways {
  /** Of `keelson serve`; the context key is the same in camel case. A switch that is on by default has one that turns it off. */
  readonly flag?: string
  /** Flux's feature gate that is the setting; it has no flag of its own unless it names one. */
  readonly gate?: string
  /** Flux's feature gate that is the setting's opposite. */
  readonly offGate?: string
  /** Environment variable of `keelson serve` that stands for the flag. */
  readonly variable?: string
  /** On AWS there is no such thing, or something else says it. */
  readonly only?: 'embedded'
}

/** An object of the hub's own namespace. */
const ofSystem: Form<{ readonly namespace: string; readonly name: string }> = {
  placeholder: 'name',
  expected: objectName.expected,
  read: name => ({ namespace: 'keelson-system', name: objectName.read(name) }),
  write: ({ name }) => name,
}

/** Limits that are not given stay as they are by default. */
const completedLimits: Form<Required<Limits>> = {
  ...{ placeholder: limits.placeholder, expected: limits.expected, write: limits.write },
  read: given => ({ ...defaultBuildLimits, ...limits.read(given) }),
}

/**
 * What an operator may choose, whatever the platform: nearly all of it flags of Flux's controllers. Declared here once; the flags of
 * `keelson serve`, the context keys of `cdk deploy`, what the functions are told of them, and the table in docs/operations.md follow.
 */
const declared = {
  noCrossNamespaceRefs: choice('refuse references to objects of other namespaces', onOff, false),
  forbidAddresses: choice(
    'addresses and CIDR ranges that nothing objects name may lead to, besides loopback and metadata services',
    listOf(addressRange, 'ranges'),
    [],
  ),
  allowAddresses: choice(
    'addresses and CIDR ranges that it may lead to all the same, as `127.0.0.0/8`',
    listOf(addressRange, 'ranges'),
    [],
  ),
  noRemoteBases: choice('refuse kustomizations that name repositories or files by URL', onOff, false),
  buildLimits: choice(
    'what one build may cost; names that are not given keep their defaults',
    completedLimits,
    defaultBuildLimits,
  ),
  maxObjectFields: choice(
    'the most fields that an object of the hub may have, and that its managedFields may name',
    wholeNumber(1),
    defaultMaxFields,
  ),
  pluginGroups: choice(
    'API groups whose installed kustomize plugins may run',
    listOf(text('group', /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'API groups'), 'groups'),
    kustomization.pluginGroups,
  ),
  pluginNetwork: choice(
    'let plugins use the network; where they could not be kept from it, as on Lambda, they run only with this',
    onOff,
    false,
  ),
  defaultServiceAccount: {
    ...openChoice('account that Kustomizations and ResourceSets act as when they name none', objectName),
    variable: 'DEFAULT_SERVICE_ACCOUNT',
  },
  watchConfigsLabelSelector: openChoice(
    'Secrets and ConfigMaps whose changes run their users; otherwise those with reconcile.fluxcd.io/watch=Enabled',
    labelSelector,
  ),
  sopsAgeSecret: openChoice('Secret of keelson-system with age keys, for Kustomizations that name no Secret', ofSystem),
  sopsVaultConfigMap: {
    ...openChoice('ConfigMap of keelson-system with the Vault servers that ServiceAccounts may log in to', ofSystem),
    flag: 'sops-vault-configmap',
  },
  verifySopsMac: {
    ...choice('decrypt files that were changed since they were encrypted', onOff, kustomization.verifySopsMac),
    flag: 'no-verify-sops-mac',
  },
  sigstoreRoot: {
    ...openChoice(
      'Secret of keelson-system with trusted_root.json of the Sigstore that is trusted where a source names none, or with root.json of the TUF repository that has it',
      ofSystem,
    ),
    flag: 'sigstore-root-secret',
  },
  sigstoreMirror: choice(
    "TUF repository that Sigstore's trusted root is refreshed from once a day; none asks nobody",
    text('url', /^(none|https?:\/\/[^\s?#@]+)$/, 'an http or https URL, or none'),
    publicMirror,
  ),
  objectLevelWorkloadIdentity: {
    ...choice('let objects name the ServiceAccount that clouds see', onOff, kustomization.objectLevelWorkloadIdentity),
    ...{ flag: 'object-level-workload-identity', gate: 'ObjectLevelWorkloadIdentity' },
  },
  tokenIssuer: openChoice(
    "the hub's address as clouds and clusters reach it, for those who trust tokens of its ServiceAccounts",
    text('url', /^https:\/\/[^\s?#@]+[^\s?#@/]$/, 'an https URL without a slash at its end'),
  ),
  maxTokenExpirationMs: {
    ...choice('longest life of a token of a ServiceAccount; a longer one is shortened', duration, 24 * 60 * 60_000),
    flag: 'service-account-max-token-expiration',
  },
  metadataService: {
    ...choice('ask the machine for its identity in a cloud', onOff, false),
    only: 'embedded',
  },
  strictSubstitution: {
    ...choice(
      'let variables be empty that are not defined and have no default',
      onOff,
      kustomization.strictSubstitution,
    ),
    ...{ flag: 'no-strict-substitution', gate: 'StrictPostBuildSubstitutions' },
  },
  onClusterChange: choice(
    'what to do when a cluster is another one than a unit was applied to: wait for `keelson adopt-cluster`, apply and forget the old inventory, or, as Flux, keep it',
    oneOf(clusterChanges),
    kustomization.onClusterChange,
  ),
  pruneGuard: choice(
    'let deletions that look like an accident wait for approval; off prunes as Flux does',
    switched,
    kustomization.pruneGuard,
  ),
  overriddenManagers: {
    ...choice(
      'field managers, by the beginning of their names, whose changes are undone',
      listOf(text('name', /^\S+$/, 'names'), 'names'),
      kustomization.overriddenManagers,
    ),
    flag: 'override-manager',
  },
  customStageKinds: {
    ...choice(
      'kinds that are applied in a stage of their own, as group/Kind',
      listOf(text('kind', /^[a-z0-9.-]*\/?[A-Z][A-Za-z0-9]*$/, 'kinds as group/Kind'), 'kinds'),
      kustomization.customStageKinds,
    ),
    flag: 'custom-apply-stage-kinds',
  },
  concurrentApplies: {
    ...choice('requests of one apply at a time', wholeNumber(1), kustomization.concurrentApplies),
    flag: 'concurrent-ssa',
  },
  requeueDependencyMs: {
    ...choice('wait before looking at a dependency again', duration, kustomization.requeueDependencyMs),
    flag: 'requeue-dependency',
  },
  intervalJitterPercentage: choice('spread of equal intervals, in percent', wholeNumber(0, 100), 5),
  maxRequestsInflight: {
    ...choice(
      'requests to the API that read, in flight at a time; one tenant has a quarter of them at most. 0 sets no bound',
      wholeNumber(0),
      400,
    ),
    only: 'embedded',
  },
  maxMutatingRequestsInflight: {
    ...choice(
      'requests to the API that write, in flight at a time, a large body counting as several; one tenant has a quarter of them at most. 0 sets no bound',
      wholeNumber(0),
      200,
    ),
    only: 'embedded',
  },
  maxWatches: { ...choice('watches at a time; 0 sets no bound', wholeNumber(0), 3000), only: 'embedded' },
  maxWatchesPerTenant: {
    ...choice('watches of one tenant at a time; 0 sets no bound', wholeNumber(0), 500),
    only: 'embedded',
  },
  namespaceMaxObjects: {
    ...choice(
      'objects that a namespace may hold, when others than administrators write; 0 sets no bound',
      wholeNumber(0),
      20_000,
    ),
    only: 'embedded',
  },
  namespaceMaxMegabytes: {
    ...choice(
      'MiB that the objects of a namespace may take, when others than administrators write; 0 sets no bound',
      wholeNumber(0),
      256,
    ),
    only: 'embedded',
  },
  concurrent: {
    ...choice('reconciles at a time, per stage, and where clusters are written to, per cluster', wholeNumber(1), 20),
    only: 'embedded',
  },
  helmIndexMaxSize: choice('largest index of a Helm repository, in bytes', byteCount, helmLimits.maxIndexBytes),
  helmChartMaxSize: choice('largest archive of a Helm chart, in bytes', byteCount, helmLimits.maxChartBytes),
  helmChartFileMaxSize: choice('largest file in a Helm chart, in bytes', byteCount, helmLimits.maxChartFileBytes),
  helmCacheMaxSize: choice(
    'indexes of Helm repositories that stay in memory, parsed; 0 keeps none',
    wholeNumber(0),
    20,
  ),
  helmCacheTtlMs: {
    ...choice('how long such an index stays after its last use', duration, 15 * 60_000),
    flag: 'helm-cache-ttl',
  },
  helmCachePurgeIntervalMs: {
    ...choice('how often indexes are looked for that have stayed too long', duration, 60_000),
    flag: 'helm-cache-purge-interval',
  },
  artifactRetentionTtlMs: {
    ...choice('how long artifacts stay that others have replaced', duration, 60_000),
    flag: 'artifact-retention-ttl',
  },
  artifactDigestAlgo: choice('how the digests of artifacts are made', oneOf(digestAlgorithms), 'sha256'),
  artifactRetentionRecords: choice('how many artifacts of a source stay at most', wholeNumber(1), 2),
  externalArtifact: {
    ...choice('allow sources of the kind ExternalArtifact', onOff, kustomization.externalArtifact),
    gate: 'ExternalArtifact',
  },
  additiveReadyCheck: {
    ...choice("a readyExpr adds to a dependency's usual check", onOff, kustomization.additiveReadyCheck),
    gate: 'AdditiveCELDependencyCheck',
  },
  cancelHealthChecks: {
    ...choice('a health check ends when there is something new to apply', onOff, kustomization.cancelHealthChecks),
    gate: 'CancelHealthCheckOnNewRevision',
  },
  failFast: {
    ...choice('a health check ends as soon as one object has failed for good', onOff, kustomization.failFast),
    offGate: 'DisableFailFastBehavior',
  },
  migrateApiVersion: {
    ...choice('rewrite managed fields of older API versions before an apply', onOff, kustomization.migrateApiVersion),
    gate: 'MigrateAPIVersion',
  },
} as const satisfies Readonly<Record<string, Choices[string] & Ways>>

/** What was chosen, by name; `help` of each tells what it is. */
export type Settings = Chosen<typeof declared>

export const declaredSettings: Readonly<Record<string, Choices[string] & Ways>> = declared

export const defaultSettings = Object.fromEntries(
  Object.entries(declared).map(([name, { byDefault }]) => [name, byDefault]),
) as Settings
