import { defaultBuildLimits, type Limits } from '../../foundations/budget/budget.ts'
import { clusterChanges } from '../../foundations/rules/cluster-binding.ts'
import { defaultMaxFields } from '../../hub/store/create-hub.ts'
import { defaultEventTtlMs } from '../../hub/store/record-index.ts'
import { defaultHelmReleaseSettings as helmRelease } from '../../reconcile/helm-release/settings.ts'
import { defaultKustomizationSettings as kustomization } from '../../reconcile/kustomization/settings.ts'
import { digestAlgorithms } from '../../reconcile/source-artifact/artifact-storage.ts'
import { helmLimits } from '../../sources/helm/helm-limits.ts'
import { publicMirror } from '../../sources/verify/sigstore/sigstore-trust.ts'
import { optionalSetting, type SettingDeclarations, type SettingValues, setting } from './setting.ts'
import {
  addressRange,
  byteCount,
  duration,
  labelSelector,
  limits,
  listOf,
  objectName,
  oneOf,
  onOff,
  onOffSwitch,
  text,
  type ValueFormat,
  wholeNumber,
} from './value-format.ts'

/** The external names of a setting, where they don't follow from its name. */
export interface SettingNames {
  /** Flag of `keelson serve`; the context key is the same in camel case. A switch that is on by default has a flag that turns it off. */
  readonly flag?: string
  /** Flux's feature gate for the setting; it has no flag of its own unless it names one. */
  readonly gate?: string
  /** Flux's feature gate that is the setting's opposite. */
  readonly offGate?: string
  /** Environment variable of `keelson serve` that stands for the flag. */
  readonly variable?: string
  /** Does not apply on AWS, or is configured there in another way. */
  readonly only?: 'embedded'
}

/** An object of the hub's own namespace. */
const ofSystem: ValueFormat<{ readonly namespace: string; readonly name: string }> = {
  placeholder: 'name',
  expected: objectName.expected,
  read: name => ({ namespace: 'keelson-system', name: objectName.read(name) }),
  write: ({ name }) => name,
}

/** Absent limits keep their defaults. */
const completedLimits: ValueFormat<Required<Limits>> = {
  ...{ placeholder: limits.placeholder, expected: limits.expected, write: limits.write },
  read: given => ({ ...defaultBuildLimits, ...limits.read(given) }),
}

/**
 * An operator's settings on any platform, mostly flags of Flux's controllers. Declared once: the flags of `keelson serve`, the context keys
 * of `cdk deploy`, the environment of functions, and the table in docs/operations.md are derived from it.
 */
const declared = {
  noCrossNamespaceRefs: setting('refuse references to objects of other namespaces', onOff, false),
  forbidAddresses: setting(
    'addresses and CIDR ranges that nothing objects name may lead to, besides loopback and metadata services',
    listOf(addressRange, 'ranges'),
    [],
  ),
  allowAddresses: setting(
    'addresses and CIDR ranges that it may lead to all the same, as `127.0.0.0/8`',
    listOf(addressRange, 'ranges'),
    [],
  ),
  noRemoteBases: setting('refuse kustomizations that name repositories or files by URL', onOff, false),
  buildLimits: setting(
    'what one build may cost; names that are not given keep their defaults',
    completedLimits,
    defaultBuildLimits,
  ),
  maxObjectFields: setting(
    'the most fields that an object of the hub may have, and that its managedFields may name',
    wholeNumber(1),
    defaultMaxFields,
  ),
  eventTtl: setting('how long Events are kept after their last change', duration, defaultEventTtlMs),
  runsRetention: setting('how long Runs are kept: what passes have done', duration, 90 * 24 * 60 * 60_000),
  enableHelm: setting('render `helmCharts` of kustomizations, which Flux refuses', onOff, false),
  pluginGroups: setting(
    'API groups whose installed kustomize plugins may run',
    listOf(text('group', /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'API groups'), 'groups'),
    kustomization.pluginGroups,
  ),
  pluginNetwork: setting(
    'let plugins use the network; where they could not be kept from it, as on Lambda, they run only with this',
    onOff,
    false,
  ),
  defaultServiceAccount: {
    ...optionalSetting('account that Kustomizations and ResourceSets act as when they name none', objectName),
    variable: 'DEFAULT_SERVICE_ACCOUNT',
  },
  watchConfigsLabelSelector: optionalSetting(
    'Secrets and ConfigMaps whose changes run their users; otherwise those with reconcile.fluxcd.io/watch=Enabled',
    labelSelector,
  ),
  sopsAgeSecret: optionalSetting(
    'Secret of keelson-system with age keys, for Kustomizations that name no Secret',
    ofSystem,
  ),
  sopsVaultConfigMap: {
    ...optionalSetting(
      'ConfigMap of keelson-system with the Vault servers that ServiceAccounts may log in to',
      ofSystem,
    ),
    flag: 'sops-vault-configmap',
  },
  verifySopsMac: {
    ...setting('decrypt files that were changed since they were encrypted', onOff, kustomization.verifySopsMac),
    flag: 'no-verify-sops-mac',
  },
  sigstoreRoot: {
    ...optionalSetting(
      'Secret of keelson-system with trusted_root.json of the Sigstore that is trusted where a source names none, or with root.json of the TUF repository that has it',
      ofSystem,
    ),
    flag: 'sigstore-root-secret',
  },
  sigstoreMirror: setting(
    "TUF repository that Sigstore's trusted root is refreshed from once a day; none asks nobody",
    text('url', /^(none|https?:\/\/[^\s?#@]+)$/, 'an http or https URL, or none'),
    publicMirror,
  ),
  objectLevelWorkloadIdentity: {
    ...setting('let objects name the ServiceAccount that clouds see', onOff, kustomization.objectLevelWorkloadIdentity),
    ...{ flag: 'object-level-workload-identity', gate: 'ObjectLevelWorkloadIdentity' },
  },
  tokenIssuer: optionalSetting(
    "the hub's address as clouds and clusters reach it, for those who trust tokens of its ServiceAccounts",
    text('url', /^https:\/\/[^\s?#@]+[^\s?#@/]$/, 'an https URL without a slash at its end'),
  ),
  maxTokenExpirationMs: {
    ...setting('longest life of a token of a ServiceAccount; a longer one is shortened', duration, 24 * 60 * 60_000),
    flag: 'service-account-max-token-expiration',
  },
  metadataService: {
    ...setting('ask the machine for its identity in a cloud', onOff, false),
    only: 'embedded',
  },
  strictSubstitution: {
    ...setting(
      'let variables be empty that are not defined and have no default',
      onOff,
      kustomization.strictSubstitution,
    ),
    ...{ flag: 'no-strict-substitution', gate: 'StrictPostBuildSubstitutions' },
  },
  onClusterChange: setting(
    'what to do when a cluster is another one than a unit was applied to: wait for `keelson adopt-cluster`, apply and forget the old inventory, or, as Flux, keep it',
    oneOf(clusterChanges),
    kustomization.onClusterChange,
  ),
  pruneGuard: setting(
    'let deletions that look like an accident wait for approval; off prunes as Flux does',
    onOffSwitch,
    kustomization.pruneGuard,
  ),
  overriddenManagers: {
    ...setting(
      'field managers, by the beginning of their names, whose changes are undone',
      listOf(text('name', /^\S+$/, 'names'), 'names'),
      kustomization.overriddenManagers,
    ),
    flag: 'override-manager',
  },
  customStageKinds: {
    ...setting(
      'kinds that are applied in a stage of their own, as group/Kind',
      listOf(text('kind', /^[a-z0-9.-]*\/?[A-Z][A-Za-z0-9]*$/, 'kinds as group/Kind'), 'kinds'),
      kustomization.customStageKinds,
    ),
    flag: 'custom-apply-stage-kinds',
  },
  concurrentApplies: {
    ...setting('requests of one apply at a time', wholeNumber(1), kustomization.concurrentApplies),
    flag: 'concurrent-ssa',
  },
  requeueDependencyMs: {
    ...setting('wait before looking at a dependency again', duration, kustomization.requeueDependencyMs),
    flag: 'requeue-dependency',
  },
  intervalJitterPercentage: setting('spread of equal intervals, in percent', wholeNumber(0, 100), 5),
  maxRequestsInflight: {
    ...setting(
      'requests to the API that read, in flight at a time; one tenant has a quarter of them at most. 0 sets no bound',
      wholeNumber(0),
      400,
    ),
    only: 'embedded',
  },
  maxMutatingRequestsInflight: {
    ...setting(
      'requests to the API that write, in flight at a time, a large body counting as several; one tenant has a quarter of them at most. 0 sets no bound',
      wholeNumber(0),
      200,
    ),
    only: 'embedded',
  },
  maxWatches: { ...setting('watches at a time; 0 sets no bound', wholeNumber(0), 3000), only: 'embedded' },
  maxWatchesPerTenant: {
    ...setting('watches of one tenant at a time; 0 sets no bound', wholeNumber(0), 500),
    only: 'embedded',
  },
  namespaceMaxObjects: {
    ...setting(
      'objects that a namespace may hold, when others than administrators write; 0 sets no bound',
      wholeNumber(0),
      20_000,
    ),
    only: 'embedded',
  },
  namespaceMaxMegabytes: {
    ...setting(
      'MiB that the objects of a namespace may take, when others than administrators write; 0 sets no bound',
      wholeNumber(0),
      256,
    ),
    only: 'embedded',
  },
  concurrent: {
    ...setting('reconciles at a time, per stage, and where clusters are written to, per cluster', wholeNumber(1), 20),
    only: 'embedded',
  },
  helmIndexMaxSize: setting('largest index of a Helm repository, in bytes', byteCount, helmLimits.maxIndexBytes),
  helmChartMaxSize: setting('largest archive of a Helm chart, in bytes', byteCount, helmLimits.maxChartBytes),
  helmChartFileMaxSize: setting('largest file in a Helm chart, in bytes', byteCount, helmLimits.maxChartFileBytes),
  helmCacheMaxSize: setting(
    'indexes of Helm repositories that stay in memory, parsed; 0 keeps none',
    wholeNumber(0),
    20,
  ),
  helmCacheTtlMs: {
    ...setting('how long such an index stays after its last use', duration, 15 * 60_000),
    flag: 'helm-cache-ttl',
  },
  helmCachePurgeIntervalMs: {
    ...setting('how often indexes are looked for that have stayed too long', duration, 60_000),
    flag: 'helm-cache-purge-interval',
  },
  artifactRetentionTtlMs: {
    ...setting('how long artifacts stay that others have replaced', duration, 60_000),
    flag: 'artifact-retention-ttl',
  },
  artifactDigestAlgo: setting('how the digests of artifacts are made', oneOf(digestAlgorithms), 'sha256'),
  artifactRetentionRecords: setting('how many artifacts of a source stay at most', wholeNumber(1), 2),
  externalArtifact: {
    ...setting('allow sources of the kind ExternalArtifact', onOff, kustomization.externalArtifact),
    gate: 'ExternalArtifact',
  },
  additiveReadyCheck: {
    ...setting("a readyExpr adds to a dependency's usual check", onOff, kustomization.additiveReadyCheck),
    gate: 'AdditiveCELDependencyCheck',
  },
  cancelHealthChecks: {
    ...setting('a health check ends when there is something new to apply', onOff, kustomization.cancelHealthChecks),
    gate: 'CancelHealthCheckOnNewRevision',
  },
  failFast: {
    ...setting('a health check ends as soon as one object has failed for good', onOff, kustomization.failFast),
    offGate: 'DisableFailFastBehavior',
  },
  retryOnFailure: {
    ...setting('retry a failed Helm action, unless a HelmRelease says otherwise', onOff, helmRelease.retryOnFailure),
    gate: 'DefaultToRetryOnFailure',
  },
  ignoreChartDigests: {
    ...setting("leave an OCI artifact's digest out of the chart's version", onOff, helmRelease.ignoreChartDigests),
    gate: 'DisableChartDigestTracking',
  },
  helm3Defaults: {
    ...setting(
      'Helm releases are installed, waited for and post-rendered as by Helm 3',
      onOff,
      helmRelease.helm3Defaults,
    ),
    gate: 'UseHelm3Defaults',
  },
  migrateApiVersion: {
    ...setting('rewrite managed fields of older API versions before an apply', onOff, kustomization.migrateApiVersion),
    gate: 'MigrateAPIVersion',
  },
} as const satisfies Readonly<Record<string, SettingDeclarations[string] & SettingNames>>

/** The values of settings, by name; `help` describes each. */
export type Settings = SettingValues<typeof declared>

export const declaredSettings: Readonly<Record<string, SettingDeclarations[string] & SettingNames>> = declared

export const defaultSettings = Object.fromEntries(
  Object.entries(declared).map(([name, { byDefault }]) => [name, byDefault]),
) as Settings
