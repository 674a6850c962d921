/** What an operator may choose, whatever the platform: the flags of Flux's controllers, in one place. */
export interface Settings {
  /** Refuse references to objects of other namespaces (`--no-cross-namespace-refs`). */
  readonly noCrossNamespaceRefs: boolean
  /** Refuse kustomizations that name repositories or files by URL (`--no-remote-bases`). */
  readonly noRemoteBases: boolean
  /** Allow sources of the kind ExternalArtifact (feature gate `ExternalArtifact`). */
  readonly externalArtifact?: boolean
  /** Fail when a variable without a default is not defined (feature gate `StrictPostBuildSubstitutions`, on by default). */
  readonly strictSubstitution?: boolean
  /** A readyExpr adds to the usual check of a dependency (feature gate `AdditiveCELDependencyCheck`). */
  readonly additiveReadyCheck?: boolean
  /** A health check ends when there is something new to apply (feature gate `CancelHealthCheckOnNewRevision`). */
  readonly cancelHealthChecks?: boolean
  /** A health check ends as soon as one object has failed for good (off: feature gate `DisableFailFastBehavior`). */
  readonly failFast?: boolean
  /** Managers, by the beginning of their names, whose changes are undone like kubectl's (`--override-manager`). */
  readonly overriddenManagers?: readonly string[]
  /** Kinds with an apply stage of their own, as `group/Kind` (`--custom-apply-stage-kinds`). */
  readonly customStageKinds?: readonly string[]
  /** Rewrite managed fields of older API versions before an apply (feature gate `MigrateAPIVersion`). */
  readonly migrateApiVersion?: boolean
  /** Requests of one apply at a time (`--concurrent-ssa`). */
  readonly concurrentApplies?: number
  /** API groups whose kustomize plugins may run (KEP-993), in kustomizations that a hub builds. */
  readonly pluginGroups?: readonly string[]
  /** Let those plugins use the network. Where they can't be kept from it, they run only with this. */
  readonly pluginNetwork?: boolean
  /** ServiceAccount that Kustomizations act as when they name none (`--default-service-account`). */
  readonly defaultServiceAccount?: string
  /** Which Secrets and ConfigMaps run their users when they change (`--watch-configs-label-selector`). */
  readonly watchConfigsLabelSelector?: string
  /** Age keys for Kustomizations that name no Secret of their own (`--sops-age-secret`). */
  readonly sopsAgeSecret?: { readonly namespace: string; readonly name: string }
  /** ConfigMap with the Vault servers that ServiceAccounts may log in to (`--sops-vault-configmap`). */
  readonly sopsVaultConfigMap?: { readonly namespace: string; readonly name: string }
  /** Refuse SOPS files of which anything was changed since they were encrypted; on by default. */
  readonly verifySopsMac?: boolean
  /** Let objects name the ServiceAccount that clouds see (feature gate `ObjectLevelWorkloadIdentity`). */
  readonly objectLevelWorkloadIdentity?: boolean
  /** Let this process ask the machine that it runs on for its identity in a cloud. */
  readonly metadataService?: boolean
  /** How long to wait for a dependency before looking again, in milliseconds (`--requeue-dependency`). */
  readonly requeueDependencyMs: number
  /** Spread of equal intervals (`--interval-jitter-percentage`). */
  readonly intervalJitterPercentage: number
  /** Reconciles at a time, per stage, and where clusters are written to, per cluster (`--concurrent`). */
  readonly concurrent: number
}

export const defaultSettings: Settings = {
  noCrossNamespaceRefs: false,
  noRemoteBases: false,
  requeueDependencyMs: 30_000,
  intervalJitterPercentage: 5,
  concurrent: 20,
}
