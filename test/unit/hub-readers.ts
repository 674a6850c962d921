/** Exceptions to what architecture.test.ts says of reading the hub. */

/** Who reads the hub by names that no spec gave, each with its reason. */
export const readsByOtherNames: Readonly<Record<string, string>> = {
  'lib/signals/notify/alerting.ts': 'Alerts, by what the index and the outbox name',
  'lib/signals/notify/event-recorder.ts': 'the Events that it writes',
  'lib/signals/notify/matching-alerts.ts': 'Alerts, by the index of what they listen to',
  'lib/signals/webhook/webhook.ts': 'Receivers, by the index of their paths',
  'lib/signals/webhook/redeliver.ts': 'the objects of a Receiver, as webhook.ts does',
  'lib/signals/webhook/targets.ts': 'for what triggers the objects of a Receiver',
  'lib/signals/webhook/reconcile-request.ts': 'writes the annotation that asks for a pass',
  'lib/signals/webhook/request-tags.ts': 'the ImageRepository that it annotates, after another write',
  'lib/signals/webhook/select-targets.ts': 'lists in the namespace that targets.ts has let through',
  'lib/signals/webhook/registry-push.ts': 'OCIRepositories of an image that a registry names',
  'lib/signals/webhook/repository-push.ts': 'GitRepositories of a repository that its host names',
  'lib/signals/webhook/bucket-change.ts': 'Buckets of a bucket that S3 names',
  'lib/compose/sigstore-root.ts': 'the Secret that a setting names',
  'lib/reconcile/source-artifact/collect-replaced.ts': 'sources, by the folders of their artifacts',
  'lib/reconcile/approvals/plan-book.ts': 'writes the Plans of units; decisions about them it reads as references',
  'lib/reconcile/applied-objects/unused-copies.ts': 'copies that the hub has made, by the index of what refers to them',
  'lib/reconcile/artifact-generator/output-writer.ts': 'writes the ExternalArtifacts of generators',
  'lib/reconcile/flux-instance/sync-writer.ts': 'writes the source and the Kustomization of a FluxInstance',
  'lib/reconcile/cluster/discover-clusters.ts': 'Secrets of Namespaces that ask for it, for Clusters beside them',
  'lib/reconcile/cluster/discover-eks.ts': 'Namespaces that ask for it, and the ConfigMaps of their Clusters',
  'lib/reconcile/cluster/profile-access.ts': 'the Secret or ConfigMap that it makes for a Cluster',
  'lib/reconcile/cluster/publish-profile.ts': 'the ClusterProfile that it makes of a Cluster',
  'lib/reconcile/rollout/drive-rollout.ts': 'hands the hub on to those below',
  'lib/reconcile/rollout/name-in-namespace.ts': 'names the Rollout in its Namespace',
  'lib/reconcile/rollout/observe.ts': 'units that name the Rollout, their Clusters, its runs and their Approvals',
  'lib/reconcile/runner/offline.ts': "the runner's own units, by the messages of its loop",
  'lib/reconcile/runner/mirror.ts': "the runner's own copy of what the hub has handed out",
  'lib/reconcile/runner/ordered-work.ts': 'no object: it knows the errors of the real hub',
  'lib/reconcile/runner/reported-runs.ts': 'its own marks of the Runs that the hub lacks',
  'lib/reconcile/runner/reporting-hub.ts': 'the status that a pass of the runner writes',
  'lib/reconcile/rollout/run-store.ts': 'writes the RolloutRuns that it makes',
  'lib/reconcile/rollout/write-pins.ts': 'writes the annotation that pins a unit',
  'lib/reconcile/kustomization/undo/undo-ports.ts': 'writes the annotation of a unit that goes back by itself',
  'lib/reconcile/pull-request/fetch-heads.ts': 'writes the GitRepositories that it makes of those of the namespace',
  'lib/signals/webhook/follow-pull-request.ts': 'writes PullRequests, of sources in the namespace of the Receiver',
  'lib/reconcile/applied-objects/empty-namespaces.ts': 'Namespaces that the hub has made, by their label',
}

/** Who asks for the hub as a cluster: to apply to it. */
export const appliesToHub = [
  'lib/reconcile/applied-objects/reach-target.ts',
  'lib/reconcile/resource-set/target-cluster.ts',
  'lib/reconcile/helm-release/target-cluster.ts',
  'lib/reconcile/helm-release/chart-template.ts',
]
