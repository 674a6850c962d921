export interface DocumentedAnnotation {
  readonly name: string
  /** Kinds that may have it. */
  readonly on: readonly string[]
  /** What it does, in one or two sentences of Markdown. */
  readonly means: string
  /** The hub writes it; changes by others have no effect, or are taken back. */
  readonly isWrittenByHub?: true
}

const sources = ['GitRepository', 'OCIRepository', 'Bucket', 'HelmRepository', 'HelmChart'] as const
const units = ['Kustomization', 'HelmRelease', 'ResourceSet'] as const
const images = ['ImageRepository', 'ImagePolicy', 'ImageUpdateAutomation'] as const
const operator = ['ResourceSet', 'ResourceSetInputProvider', 'FluxInstance'] as const
const reconciled = [...sources, ...units, ...images, 'Receiver', 'Cluster', 'Rollout', 'ResourceSetInputProvider']
const suspendable = [...sources, ...units, ...images, 'Receiver', 'Cluster', 'Rollout']

/** The annotations and labels that people set or meet on Flux's and Keelson's kinds; test/unit/docs/reference.test.ts holds the list to the code. */
export const annotations: readonly DocumentedAnnotation[] = [
  {
    name: 'reconcile.fluxcd.io/requestedAt',
    on: [...reconciled, 'ArtifactGenerator', 'FluxInstance'],
    means: 'Requests a reconcile now. Any new value counts; `flux reconcile` writes the time.',
  },
  {
    name: 'reconcile.fluxcd.io/forceAt',
    on: ['HelmRelease', 'ResourceSetInputProvider'],
    means:
      'Together with an equal `requestedAt`: forces one upgrade of the release, or one run outside of the schedule.',
  },
  {
    name: 'reconcile.fluxcd.io/resetAt',
    on: ['HelmRelease'],
    means: 'Together with an equal `requestedAt`: resets the counts of failures, so that the release is tried again.',
  },
  {
    name: 'fluxcd.controlplane.io/reconcile',
    on: operator,
    means: '`disabled` suspends the object.',
  },
  {
    name: 'fluxcd.controlplane.io/reconcileEvery',
    on: operator,
    means: 'Interval of the object, as a duration.',
  },
  {
    name: 'fluxcd.controlplane.io/reconcileTimeout',
    on: operator,
    means: 'Timeout of one reconcile, as a duration.',
  },
  {
    name: 'source.extensions.fluxcd.io/reconcile',
    on: ['ArtifactGenerator'],
    means: '`disabled` suspends the object.',
  },
  {
    name: 'keelson.dev/target',
    on: units,
    means:
      'On a root unit or a Namespace: the Secret or ConfigMap with access to the cluster that all units below apply to. See [fleets](../../fleets.md).',
  },
  {
    name: 'resourceset.keelson.dev/kubeConfig',
    on: ['ResourceSet'],
    means:
      'The Secret, or `SECRET:KEY`, with the kubeconfig of the cluster to apply to. See [ResourceSets](../../resourcesets.md).',
  },
  {
    name: 'kustomize.keelson.dev/drift',
    on: ['Kustomization'],
    means: '`report` reports drift and leaves it alone. See [questions](../../questions.md#drift).',
  },
  {
    name: 'kustomize.keelson.dev/on-refusal',
    on: ['Kustomization'],
    means: '`continue` applies the valid objects and reports the others.',
  },
  {
    name: 'keelson.dev/allow-prune',
    on: ['Kustomization', 'ResourceSet'],
    means:
      'The digest of a list of deletions that you approve. `keelson allow-prune` writes it. See [guard](../../guard.md).',
  },
  {
    name: 'keelson.dev/prune-limit',
    on: ['Kustomization', 'ResourceSet'],
    means: 'Above this number or share of objects, deletions wait for approval: `5, 20%`. Also on a Namespace.',
  },
  {
    name: 'keelson.dev/confirm-prune',
    on: ['Kustomization', 'ResourceSet'],
    means: 'Kinds whose deletion needs approval: `Service, Ingress.networking.k8s.io`. Also on a Namespace.',
  },
  {
    name: 'fleet.keelson.dev/runner-version',
    on: ['Cluster'],
    means: 'The version of its runner. See [clusters](../../clusters.md#clusters-that-the-hub-cant-reach).',
    isWrittenByHub: true,
  },
  {
    name: 'fleet.keelson.dev/runner-orders',
    on: ['Cluster'],
    means:
      'What its runner does for users of the hub, separated by commas: `plan`, `comparison`, `head` (plans of pull requests), `live`. See [clusters](../../clusters.md#clusters-that-the-hub-cant-reach).',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/adopt-cluster',
    on: ['Kustomization', 'ResourceSet'],
    means: 'The identity of a new cluster that takes the place of the old one. `keelson adopt-cluster` writes it.',
  },
  {
    name: 'keelson.dev/on-cluster-change',
    on: ['Kustomization', 'ResourceSet'],
    means: 'What happens when the address leads to another cluster: `adopt`, `ask` or `ignore`.',
  },
  {
    name: 'keelson.dev/windows',
    on: units,
    means:
      'Windows for changes, as a list in YAML or JSON. Also on a Namespace. See [clusters](../../clusters.md#windows).',
  },
  {
    name: 'keelson.dev/depends-on',
    on: units,
    means:
      'Units that must be ready at their newest revision first, as `KIND/[NAMESPACE/]NAME[@[NAMESPACE/]CLUSTER]`, separated by commas. See [rollouts](../../rollouts.md#dependencies-across-clusters).',
  },
  {
    name: 'keelson.dev/override-window',
    on: units,
    means: 'An RFC 3339 time and a reason: until then, windows hold nothing back. Needs the verb `override`.',
  },
  {
    name: 'keelson.dev/overridden-by',
    on: units,
    means: 'The user who overrode the windows.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/adopts',
    on: ['Kustomization'],
    means:
      'Names of Kustomizations of the namespace, separated by commas: when they are deleted, it takes over their objects. See [guard](../../guard.md#moves).',
  },
  {
    name: 'keelson.dev/undo',
    on: ['Kustomization', 'HelmRelease'],
    means:
      'The digest of earlier manifests that it applies. `keelson undo` writes it, `keelson resume` removes it. See [undo](../../undo.md).',
  },
  {
    name: 'keelson.dev/undone-by',
    on: ['Kustomization', 'HelmRelease'],
    means: 'The user who has undone it.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/undone-for',
    on: ['Kustomization', 'HelmRelease'],
    means: 'Why it was undone: a note for others, which `keelson undo --reason` writes.',
  },
  {
    name: 'keelson.dev/on-failure',
    on: ['Kustomization'],
    means:
      '`undo`: it goes back by itself when a new build fails its health checks. See [undo](../../undo.md#by-itself).',
  },
  {
    name: 'fleet.keelson.dev/approval',
    on: [...units, 'Cluster'],
    means:
      'Which changes need approval: `Required`, `OnDelete` or `OutsideWindow`. Also on a Namespace. See [plans](../../plans.md#approvals).',
  },
  {
    name: 'fleet.keelson.dev/min-approvals',
    on: [...units, 'Cluster'],
    means: 'How many users must approve, 1 by default. Also on a Namespace.',
  },
  {
    name: 'fleet.keelson.dev/author-may-approve',
    on: [...units, 'Cluster'],
    means: '`true`: the approval of whoever has pushed the revision counts. Also on a Namespace.',
  },
  {
    name: 'fleet.keelson.dev/plan-expiry',
    on: [...units, 'Cluster'],
    means: 'How long a plan can be approved, `72h` by default. Also on a Namespace.',
  },
  {
    name: 'keelson.dev/suspended-by',
    on: suspendable,
    means: 'The user who suspended the object.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/suspended-for',
    on: suspendable,
    means: 'The reason that `keelson suspend --reason` gave.',
  },
  {
    name: 'keelson.dev/requested-by',
    on: reconciled,
    means: 'The user or the Receiver that requested the latest reconcile.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/announced',
    on: sources,
    means: 'The commit or digest of a webhook: fetched without another request for the branch or tag.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/announced-tags',
    on: ['ImageRepository'],
    means: 'The tags of an event of a registry: verified one by one, without a list of all.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/delivery',
    on: [...sources, ...units, ...images],
    means: 'The Delivery that triggered the latest reconcile.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/pin',
    on: ['Kustomization', 'HelmRelease'],
    means: 'The RolloutRun whose revision the unit takes. See [rollouts](../../rollouts.md).',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/proposed',
    on: ['Kustomization', 'HelmRelease'],
    means:
      'The RolloutRun whose revision is planned, and applied only as its plan was approved. See [rollouts](../../rollouts.md).',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/ordered-by',
    on: ['RolloutRun'],
    means: 'The user who gave the last order.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/hotfix',
    on: ['GitRepository', 'OCIRepository', 'Bucket', 'HelmChart', 'ExternalArtifact'],
    means: 'The revision that may skip stages of a Rollout.',
  },
  {
    name: 'fleet.keelson.dev/rollout',
    on: ['RolloutRun'],
    means: 'Label: the Rollout of the run.',
    isWrittenByHub: true,
  },
  {
    name: 'fleet.keelson.dev/plan-pull-requests',
    on: ['Receiver'],
    means:
      'The Provider that comments on pull requests: the hub plans their heads. See [pull requests](../../pull-requests.md).',
  },
  {
    name: 'fleet.keelson.dev/plan-forks',
    on: ['Receiver'],
    means:
      'The forks whose pull requests are planned: owners, or `owner/repository`, separated by commas; `*` for all. None without it.',
  },
  {
    name: 'fleet.keelson.dev/pull-request-uid',
    on: ['GitRepository'],
    means: 'Label: the UID of the PullRequest whose head it fetches.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/discovered-by',
    on: ['Cluster'],
    means: 'What created the Cluster.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/vanished',
    on: ['Cluster'],
    means: 'Label: the discovered cluster is no longer listed. Its objects stay as they are.',
    isWrittenByHub: true,
  },
  {
    name: 'keelson.dev/eks-arn',
    on: ['Cluster'],
    means: 'The ARN of the discovered EKS cluster.',
    isWrittenByHub: true,
  },
  {
    name: 'notification.keelson.dev/only',
    on: ['Alert'],
    means: '`StateChanges`: one message when an object begins to fail, and one when it recovers.',
  },
  {
    name: 'notification.keelson.dev/group-by',
    on: ['Alert'],
    means: '`Cause`: one message for all objects that fail for the same reason.',
  },
  {
    name: 'notification.keelson.dev/digest',
    on: ['Alert'],
    means: 'A cron expression: one message at these times.',
  },
  {
    name: 'notification.keelson.dev/time-zone',
    on: ['Alert'],
    means: 'Time zone of the digest, such as `Europe/Berlin`. UTC by default.',
  },
  {
    name: 'notification.keelson.dev/clusters',
    on: ['Alert'],
    means: 'Clusters whose events are sent: names, `NAMESPACE/NAME`, or `*`.',
  },
  {
    name: 'notification.keelson.dev/rollouts',
    on: ['Alert'],
    means: 'Rollouts whose events are sent: names, `NAMESPACE/NAME`, or `*`.',
  },
  {
    name: 'webhook.keelson.dev/allow-sha1',
    on: ['Receiver'],
    means: 'Accepts signatures with SHA-1, for old servers of GitHub and Bitbucket.',
  },
  {
    name: 'image.keelson.dev/pull-request',
    on: ['ImageUpdateAutomation'],
    means:
      'The forge at which to open a pull request instead of pushing to the branch. See [images](../../images.md#pull-requests).',
  },
  {
    name: 'image.keelson.dev/pull-request-secret',
    on: ['ImageUpdateAutomation'],
    means: 'The Secret for the API of that forge. By default that of the repository.',
  },
]
