const artifacts = ['GitRepository', 'OCIRepository', 'Bucket', 'HelmRepository', 'HelmChart'] as const
const units = ['Kustomization', 'HelmRelease', 'ResourceSet'] as const

export interface DocumentedCondition {
  readonly type: string
  /** Kinds that have it; absent for all that have conditions. */
  readonly on?: readonly string[]
  /** What it means, in one or two sentences of Markdown. */
  readonly means: string
}

/** The types of conditions; test/unit/docs/reference.test.ts holds the list to the code. */
export const conditions: readonly DocumentedCondition[] = [
  {
    type: 'Ready',
    means:
      '`True`: the latest reconcile succeeded. `False`: it failed. `Unknown`: the first one, or a longer one, is under way.',
  },
  { type: 'Reconciling', means: 'Present while a reconcile is under way or will be retried.' },
  { type: 'Stalled', means: 'Present while retries cannot help: change the spec or what it refers to.' },
  {
    type: 'Finalized',
    means: '`False`: the object is being deleted, and its cleanup has failed. The message says why.',
  },
  { type: 'ArtifactInStorage', on: artifacts, means: '`True`: the artifact is stored.' },
  { type: 'ArtifactOutdated', on: artifacts, means: 'Present while a new revision is being fetched.' },
  { type: 'FetchFailed', on: artifacts, means: 'Present while the source cannot be fetched.' },
  { type: 'StorageOperationFailed', on: artifacts, means: 'Present while the artifact cannot be packed or stored.' },
  {
    type: 'SourceVerified',
    on: ['GitRepository', 'OCIRepository', 'HelmChart'],
    means: 'Whether the signature was verified. Present if `spec.verify` is set.',
  },
  {
    type: 'IncludeUnavailable',
    on: ['GitRepository'],
    means: 'Present while the artifact of an included repository is missing.',
  },
  { type: 'BuildFailed', on: ['HelmChart'], means: 'Present while the chart cannot be built.' },
  {
    type: 'Healthy',
    on: ['Kustomization'],
    means: 'Whether the applied objects are healthy. Present with `spec.wait` or `spec.healthChecks`.',
  },
  { type: 'Released', on: ['HelmRelease'], means: 'Whether the latest install, upgrade or uninstall succeeded.' },
  {
    type: 'TestSuccess',
    on: ['HelmRelease'],
    means: 'Whether the tests of the release succeeded. Present if tests are enabled.',
  },
  {
    type: 'Remediated',
    on: ['HelmRelease'],
    means: 'Whether the remediation of a failed release, a rollback or an uninstall, succeeded.',
  },
  {
    type: 'Drifted',
    on: ['Kustomization', 'HelmRelease'],
    means: '`True`: objects on the cluster differ from what was applied.',
  },
  {
    type: 'PruneGuarded',
    on: ['Kustomization', 'ResourceSet'],
    means: 'Present while deletions wait for approval. See [guard](../../guard.md).',
  },
  {
    type: 'ClusterChanged',
    on: ['Kustomization', 'ResourceSet'],
    means: 'Present while the address leads to another cluster than the inventory describes.',
  },
  {
    type: 'Waiting',
    on: units,
    means: 'Present while changes wait. The reason and the message say for what, and until when.',
  },
  { type: 'WindowOverridden', on: units, means: 'Present while a user overrides the windows.' },
  {
    type: 'Pinned',
    on: ['Kustomization', 'HelmRelease'],
    means: 'Present while the unit takes its revision from a RolloutRun, or keeps earlier manifests after an undo.',
  },
  {
    type: 'Planned',
    on: ['Kustomization', 'HelmRelease'],
    means:
      'Present while a change waits for a window, or a RolloutRun needs approval of what it would change: names the plan, or why there is none.',
  },
  {
    type: 'FieldsIgnored',
    on: ['Kustomization'],
    means: 'Present while a kustomization file has fields that kustomize does not know.',
  },
  { type: 'NotApplicable', on: ['FluxInstance'], means: 'Lists the fields that have no effect on a hub.' },
  { type: 'Reachable', on: ['Cluster'], means: 'Whether the cluster responds.' },
  { type: 'CredentialsValid', on: ['Cluster'], means: 'Whether the cluster accepts the credential, and until when.' },
  {
    type: 'ControlPlaneHealthy',
    on: ['Cluster'],
    means: 'Whether the checks of the API server at `/readyz` pass. Absent on a Cluster with a runner.',
  },
]
