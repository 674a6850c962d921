/** Stories recorded of helm-controller that ours does not play as recorded yet, and what is missing. */
export const openStories: Readonly<Record<string, string>> = {
  'rel-adopt-history': 'the chart of a release that helm stored loses modtime when it is written anew',
  'rel-pending-upgrade': 'the same',
  'rel-namespace-in-manifest':
    'an empty line in the manifest: documents are cut as by Helm 4.3, the controller has 4.2',
  'rel-update-while-running-cancel': 'the gate CancelHealthCheckOnNewRevision ends no action',
}
