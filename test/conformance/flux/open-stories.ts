/** Stories recorded of helm-controller that ours does not play as recorded yet, or that were recorded and not replayed yet. */
export const openStories: Readonly<Record<string, string>> = {
  'rel-render-bad-yaml': 'recorded again, not replayed since',
  'rel-account-read-only': 'the same',
  'rel-immutable-job': 'the same',
  'rel-hooks-all': 'recorded, not replayed yet',
  'rel-hooks-weights': 'the same',
  'rel-hooks-succeeded': 'the same',
  'rel-tests-succeed': 'the same',
  'rel-delete-plain': 'the same',
  'rel-delete-keep-history': 'the same',
  'rel-delete-storage-gone': 'the same',
}
