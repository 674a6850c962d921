import { defaultBuildLimits, type Limits } from '../../foundations/budget/budget.ts'
import { clusterChanges } from '../../foundations/rules/cluster-binding.ts'
import { defaultMaxFields } from '../../hub/store/create-hub.ts'
import { defaultEventTtlMs } from '../../hub/store/record-index.ts'
import { defaultHelmReleaseSettings as helmRelease } from '../../reconcile/helm-release/settings.ts'
import { defaultGitGates as git } from '../../reconcile/image-update-automation/push-rules.ts'
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
  pruneLimit,
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
  /** Environment variable of `keelson serve` that replaces the flag. */
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
    'addresses and CIDR ranges that the hub may not connect to for objects, in addition to loopback and metadata services',
    listOf(addressRange, 'ranges'),
    [],
  ),
  allowAddresses: setting('exceptions to these addresses, as `127.0.0.0/8`', listOf(addressRange, 'ranges'), []),
  noRemoteBases: setting('refuse kustomizations that name repositories or files by URL', onOff, false),
  buildLimits: setting('limits of one build; those not given keep their defaults', completedLimits, defaultBuildLimits),
  maxObjectFields: setting(
    'maximum number of fields of an object of the hub, and of those in its managedFields',
    wholeNumber(1),
    defaultMaxFields,
  ),
  consoleUrl: optionalSetting(
    'address of the console for people: notifications link to their object there, and on AWS issuers lead back to it; with `domainName`, that is the default',
    text('url', /^https?:\/\/[^\s?#@]+[^\s?#@/]$/, 'an http or https URL without a slash at its end'),
  ),
  eventTtl: setting('how long Events are kept after their last change', duration, defaultEventTtlMs),
  runsRetention: setting(
    'how long Runs are kept, what passes have done, and the audit log of the hub itself',
    duration,
    90 * 24 * 60 * 60_000,
  ),
  enableHelm: setting('render `helmCharts` of kustomizations, which Flux refuses', onOff, false),
  mcpWrites: setting(
    'let agents at `/mcp` reconcile, suspend and resume, and order rollouts, as far as the roles of their users allow',
    onOff,
    false,
  ),
  mcpDecisions: setting(
    'with `mcpWrites`, let agents approve and reject plans, too, in the name of their users',
    onOff,
    false,
  ),
  pluginGroups: setting(
    'API groups whose installed kustomize plugins may run',
    listOf(text('group', /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'API groups'), 'groups'),
    kustomization.pluginGroups,
  ),
  pluginNetwork: setting(
    'let plugins use the network; where they can not be isolated from it, as on Lambda, they run only with this',
    onOff,
    false,
  ),
  defaultServiceAccount: {
    ...optionalSetting('ServiceAccount that Kustomizations and ResourceSets impersonate if they name none', objectName),
    variable: 'DEFAULT_SERVICE_ACCOUNT',
  },
  watchConfigsLabelSelector: optionalSetting(
    'label selector of Secrets and ConfigMaps whose changes trigger the objects that refer to them; by default reconcile.fluxcd.io/watch=Enabled',
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
      'Secret of keelson-system for the default Sigstore, with its trusted_root.json or with root.json of its TUF repository',
      ofSystem,
    ),
    flag: 'sigstore-root-secret',
  },
  sigstoreMirror: setting(
    "TUF repository from which Sigstore's trusted root is refreshed once a day, or `none`",
    text('url', /^(none|https?:\/\/[^\s?#@]+)$/, 'an http or https URL, or none'),
    publicMirror,
  ),
  objectLevelWorkloadIdentity: {
    ...setting(
      'let objects name the ServiceAccount to use for clouds',
      onOff,
      kustomization.objectLevelWorkloadIdentity,
    ),
    ...{ flag: 'object-level-workload-identity', gate: 'ObjectLevelWorkloadIdentity' },
  },
  tokenIssuer: optionalSetting(
    'URL of the hub for clouds and clusters that trust tokens of its ServiceAccounts',
    text('url', /^https:\/\/[^\s?#@]+[^\s?#@/]$/, 'an https URL without a slash at its end'),
  ),
  maxTokenExpirationMs: {
    ...setting(
      'maximum lifetime of tokens of ServiceAccounts; longer requests are shortened',
      duration,
      24 * 60 * 60_000,
    ),
    flag: 'service-account-max-token-expiration',
  },
  metadataService: {
    ...setting('use the cloud identity of the machine, from its metadata service', onOff, false),
    only: 'embedded',
  },
  strictSubstitution: {
    ...setting('substitute undefined variables without a default by nothing', onOff, kustomization.strictSubstitution),
    ...{ flag: 'no-strict-substitution', gate: 'StrictPostBuildSubstitutions' },
  },
  onClusterChange: setting(
    'what to do when the cluster is not the one that a unit was applied to: wait for `keelson adopt-cluster`, apply and drop the old inventory, or keep it as Flux does',
    oneOf(clusterChanges),
    kustomization.onClusterChange,
  ),
  pruneGuard: setting(
    'hold deletions that look like an accident until they are approved; off prunes as Flux does',
    onOffSwitch,
    kustomization.pruneGuard,
  ),
  pruneLimit: setting(
    'how much one pass over a unit may prune without approval, as `20%`, `5` or `5, 20%`',
    pruneLimit,
    kustomization.pruneLimit,
  ),
  moveWaitMs: {
    ...setting(
      'how long deletions wait for Kustomizations that have not applied the same revision yet and may take the objects over',
      duration,
      kustomization.moveWaitMs,
    ),
    flag: 'move-wait',
  },
  undoLimit: setting(
    'how many earlier builds of a Kustomization are kept for `keelson undo`; 0 = none',
    wholeNumber(0, 100),
    kustomization.undoLimit,
  ),
  undoTtlMs: {
    ...setting('how long they are kept after others have replaced them', duration, kustomization.undoTtlMs),
    flag: 'undo-ttl',
  },
  overriddenManagers: {
    ...setting(
      'prefixes of field managers whose changes are reverted',
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
    ...setting('concurrent requests of one apply', wholeNumber(1), kustomization.concurrentApplies),
    flag: 'concurrent-ssa',
  },
  requeueDependencyMs: {
    ...setting('wait before checking a dependency again', duration, kustomization.requeueDependencyMs),
    flag: 'requeue-dependency',
  },
  intervalJitterPercentage: setting('jitter of intervals, in percent', wholeNumber(0, 100), 5),
  maxRequestsInflight: {
    ...setting(
      'concurrent read requests to the API; one tenant may use a quarter of them. 0 = unlimited',
      wholeNumber(0),
      400,
    ),
    only: 'embedded',
  },
  maxMutatingRequestsInflight: {
    ...setting(
      'concurrent write requests to the API, large bodies counting several times; one tenant may use a quarter of them. 0 = unlimited',
      wholeNumber(0),
      200,
    ),
    only: 'embedded',
  },
  maxWatches: { ...setting('concurrent watches; 0 = unlimited', wholeNumber(0), 3000), only: 'embedded' },
  maxWatchesPerTenant: {
    ...setting('concurrent watches of one tenant; 0 = unlimited', wholeNumber(0), 500),
    only: 'embedded',
  },
  namespaceMaxObjects: {
    ...setting(
      'maximum number of objects in a namespace, not enforced for administrators; 0 = unlimited',
      wholeNumber(0),
      20_000,
    ),
    only: 'embedded',
  },
  namespaceMaxMegabytes: {
    ...setting(
      'maximum size of the objects of a namespace in MiB, not enforced for administrators; 0 = unlimited',
      wholeNumber(0),
      256,
    ),
    only: 'embedded',
  },
  concurrent: {
    ...setting(
      'concurrent reconciles per stage, and also per cluster in stages that write to clusters',
      wholeNumber(1),
      20,
    ),
    only: 'embedded',
  },
  helmIndexMaxSize: setting(
    'maximum size of the index of a Helm repository, in bytes',
    byteCount,
    helmLimits.maxIndexBytes,
  ),
  helmChartMaxSize: setting(
    'maximum size of the archive of a Helm chart, in bytes',
    byteCount,
    helmLimits.maxChartBytes,
  ),
  helmChartFileMaxSize: setting(
    'maximum size of a file in a Helm chart, in bytes',
    byteCount,
    helmLimits.maxChartFileBytes,
  ),
  helmCacheMaxSize: setting(
    'maximum number of parsed indexes of Helm repositories in memory; 0 = none',
    wholeNumber(0),
    20,
  ),
  helmCacheTtlMs: {
    ...setting('how long such an index is cached after its last use', duration, 15 * 60_000),
    flag: 'helm-cache-ttl',
  },
  helmCachePurgeIntervalMs: {
    ...setting('how often expired indexes are removed', duration, 60_000),
    flag: 'helm-cache-purge-interval',
  },
  artifactRetentionTtlMs: {
    ...setting('how long replaced artifacts are kept', duration, 60_000),
    flag: 'artifact-retention-ttl',
  },
  artifactDigestAlgo: setting('hash function for digests of artifacts', oneOf(digestAlgorithms), 'sha256'),
  artifactRetentionRecords: setting('maximum number of artifacts of a source', wholeNumber(1), 2),
  externalArtifact: {
    ...setting('allow sources of the kind ExternalArtifact', onOff, kustomization.externalArtifact),
    gate: 'ExternalArtifact',
  },
  additiveReadyCheck: {
    ...setting(
      "check a dependency's readyExpr in addition to the usual check, not instead",
      onOff,
      kustomization.additiveReadyCheck,
    ),
    gate: 'AdditiveCELDependencyCheck',
  },
  cancelHealthChecks: {
    ...setting('end a health check when there is something new to apply', onOff, kustomization.cancelHealthChecks),
    gate: 'CancelHealthCheckOnNewRevision',
  },
  failFast: {
    ...setting('end a health check as soon as one object has failed permanently', onOff, kustomization.failFast),
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
    ...setting('install, wait for and post-render Helm releases like Helm 3', onOff, helmRelease.helm3Defaults),
    gate: 'UseHelm3Defaults',
  },
  migrateApiVersion: {
    ...setting('rewrite managed fields of older API versions before an apply', onOff, kustomization.migrateApiVersion),
    gate: 'MigrateAPIVersion',
  },
  gitForcePush: {
    ...setting('let automations replace what others pushed to a push branch or refspec', onOff, git.gitForcePush),
    gate: 'GitForcePushBranch',
  },
  gitAllBranches: {
    ...setting('let automations continue a push branch that exists', onOff, git.gitAllBranches),
    gate: 'GitAllBranchReferences',
  },
  gitShallowClone: {
    ...setting('push unforced only over the commit that is checked out', onOff, git.gitShallowClone),
    gate: 'GitShallowClone',
  },
} as const satisfies Readonly<Record<string, SettingDeclarations[string] & SettingNames>>

/** The values of settings, by name; `help` describes each. */
export type Settings = SettingValues<typeof declared>

export const declaredSettings: Readonly<Record<string, SettingDeclarations[string] & SettingNames>> = declared

export const defaultSettings = Object.fromEntries(
  Object.entries(declared).map(([name, { byDefault }]) => [name, byDefault]),
) as Settings
