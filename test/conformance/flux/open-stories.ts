/** Stories recorded of helm-controller that ours does not play as recorded yet, and what is missing. */
export const openStories: Readonly<Record<string, string>> = {
  'rel-depends-plain': 'a HelmRelease that begins suspended: helm-controller observes its generation',
  'rel-depends-additive': 'the same',
  'rel-depends-expr-error': 'the same',
  'rel-depends-namespace': 'the same',
  'rel-health-broken': 'a state in passing: Reconciling is told before the expressions are read',
  'rel-source-digest-wrong': 'the words for an artifact with another digest',
  'rel-source-artifact-missing': 'where an ExternalArtifact is not found, the words are those of any failed download',
  'rel-render-functions': 'long texts are folded in the stored manifest',
  'rel-values-digest': 'the same',
  'rel-render-bad-yaml': 'what a post-renderer says of a template that is not YAML',
  'rel-render-no-name': 'an object without a name is refused by the API server, not before',
  'rel-render-no-kind': 'the same of a document without a kind',
  'rel-values-not-a-map': 'the words for values that are a list',
  'rel-update-while-running-cancel': 'the gate CancelHealthCheckOnNewRevision ends no action',
}
