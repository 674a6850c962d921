export interface Difference {
  readonly why: string
  /** The places where it shows, by their headings: `step 2, stored releases`. Elsewhere the scenario must be as recorded. */
  readonly at: RegExp
  /** It shows only at some times. */
  readonly isOptional?: true
}

/**
 * Scenarios in which ours does otherwise than Flux, and why: the checklist's "When the sources disagree" decides. Each is
 * replayed all the same, to see that it still differs; docs/compatibility.md tells users of them.
 */
export const differences: Readonly<Record<string, string | Difference>> = {
  // all errors at once (KS-275)
  'ks-immutable-configmap-no-force': 'KS-275: all refusals are told at once, with their files',
  'ks-missing-namespace': 'KS-275: all refusals are told at once, with their files',
  // nothing silent
  'ks-label-number': 'KS-140: a label that is no text is refused, not dropped in silence',
  'ks-unknown-field': 'KS-065: an unknown field of a manifest is refused, not dropped in silence',
  'ks-sops-no-decryption': 'KS-252: ciphertext is refused wherever it stands, not in the data of a Secret only',
  'ks-kubeconfig-gone-at-deletion': 'KS-047: what holds up a deletion is told in an event',
  'ks-kubeconfig-exec-dropped':
    "KS-221: the refusal of an anonymous request is told in the API server's words, not as 'unknown'",
  'ks-kubeconfig-exec':
    'KS-221: `aws eks get-token` is done without running anything, and needs the name of the cluster',
  'ks-kubeconfig-garbage': 'the words of the YAML parser, without a word of the kubeconfig',
  // nothing that leads astray
  'ks-delete-failed': 'a deletion that failed is not called finished as well, nor its generation observed',
  'ks-deletion-unreachable': 'as ks-delete-failed: the failure is told, and no success beside it',
  'ks-deletion-policy-invalid': 'KS-002: a Kustomization without spec is refused by the API',
  'ks-path-escape': 'KS-064: a path that leads out of the source is refused as such',
  'ks-depends-cycle': 'KS-129: a dependency cycle is named',
  'ks-depends-self': 'KS-129: a dependency on itself is named',
  'ks-remote-base-blocked': 'KS-072: with --no-remote-bases nothing is fetched at all',
  'rel-cross-namespace': {
    why: 'HR-008: a refused source is told in the conditions, not in a log alone',
    at: /^step 1, (statuses|states|events)/,
  },
  'rel-tests-filter': {
    why: 'HR-074: of tests that filters leave out nothing is recorded, as since helm-controller 1.6.3',
    at: /^step 1, (statuses|states of HelmRelease|events of HelmRelease)/,
  },
  // nothing left over
  'rel-tests-excluded': {
    why: 'HR-074: as rel-tests-filter',
    at: /^step 1, (statuses|states of HelmRelease|events of HelmRelease)/,
  },
  // nothing of somebody else's
  'rel-delete-not-owned': {
    why: 'HR-124: an object that is somebody else’s by now is left, as since Helm 4.3',
    at: /^step 2, hub v1\/ConfigMap\//,
  },
  'rel-upgrade-target-ns': {
    why: 'HR-037: what a release has made goes from where it is, not looked for in the new namespace',
    at: /^step 2, hub v1\/ConfigMap\//,
  },
  // ours besides
  'rsip-invalid': 'RS-139: Clusters, a type of ours, is among the supported values',
  'ks-kubeconfig-unreachable': 'a cluster that does not answer is named and blamed, not the first of the objects',
  'rel-remote-wrong': {
    why: 'HR-040: what a kubeconfig lacks is named, not an environment variable of the controller that would stand for it',
    at: /^step 1, statuses|^step [12], states of HelmRelease/,
  },
  'rel-update-while-running-cancel': {
    why: 'HR-133: as the wait goes on from pass to pass, the chart of the new spec is fetched before it is cancelled',
    at: /^step 2, (states|events) of HelmRelease/,
  },
  'rel-update-while-running': {
    why: 'HR-133: an action goes on from pass to pass, and its entry in the storage is written as it does; another chart is fetched meanwhile',
    at: /^step 2, (states|events) of HelmRelease/,
  },
  'rel-running-suspended': {
    why: 'HR-133: as rel-update-while-running while it waits; what comes of it is the same',
    at: /^step 1, (statuses|stored releases)/,
  },
  'rel-running-suspended-upgrade': {
    why: 'HR-133: as rel-running-suspended',
    at: /^step 2, (statuses|stored releases)/,
  },
  'rel-running-deleted': {
    why: 'HR-133: as rel-running-suspended',
    at: /^step 1, (statuses|stored releases)/,
  },
  'rel-running-cancelled': {
    why: 'HR-133: as rel-update-while-running-cancel',
    at: /^step 1, stored releases|^step 2, (states|events) of HelmRelease/,
  },
  'rel-running-cancelled-retry': {
    why: 'HR-133: as rel-update-while-running-cancel',
    at: /^step 1, stored releases|^step 2, (states|events) of HelmRelease/,
  },
  'rel-running-cancelled-upgrade': {
    why: 'HR-133: as rel-update-while-running-cancel',
    at: /^step 2, stored releases|^step 3, (states|events) of HelmRelease/,
  },
  'rel-running-request': {
    why: 'HR-133: an action that goes on from pass to pass stands in the status, and is written with its entry in the storage',
    at: /^step [12], (statuses|stored releases)/,
  },
  // the replay
  'rel-hooks-pre-delete-failed': {
    why: 'the recording was made while the hook ran for the second time, whose failure it does not count yet',
    at: /^step 2, (statuses|stored releases)/,
  },
  'rs-health-cancel': 'the recordings saw nothing of it while it waited',
  'ks-interval-short': 'time runs faster in the replay, so that an interval of 2 s passes more often',
}

/** Those of stories in which a runner reconciles what Flux applied to its own cluster: the units name that cluster. */
export const differencesThroughRunner: typeof differences = {
  ...differences,
  'ks-health-self': 'a Kustomization for another cluster applies nothing to the hub, itself included',
  'rs-flux-gc-stages': 'a ResourceSet for another cluster applies nothing to the hub, and that cluster has no Flux',
  'ks-sa-deletion-account-gone': {
    why: 'KS-224: the account belongs to the cluster, whose RBAC decides; whether the hub has one of that name does not matter',
    at: /^step 3, (hub v1\/ConfigMap\/|events of Kustomization)/,
  },
  ...Object.fromEntries(
    ['ks-sops-age', 'ks-sops-all-values', 'ks-sops-plain-with-decryption'].map(name => [
      name,
      {
        why: 'with digests as in Flux, whoever reads the hub could try values against what a runner decrypts',
        at: /^step \d, statuses/,
      },
    ]),
  ),
  'rs-provider-missing': {
    why: 'of a provider that has just been created and exports inputs at once, a runner may see the second state only',
    at: /^step 1, (statuses|states|events)/,
    isOptional: true,
  },
  // the replay: its servers are on loopback, and a runner has no --allow-addresses
  'ks-remote-base-local': 'a runner fetches nothing from loopback addresses',
  'ks-external-artifact-ready': 'a runner fetches nothing from loopback addresses',
}
