/** Stories recorded of helm-controller that ours does not play as recorded yet, and what is missing. */
export const openStories: Readonly<Record<string, string>> = {
  'rel-update-while-running-cancel': 'the gate CancelHealthCheckOnNewRevision ends no action',
}
