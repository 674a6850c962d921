/** Stories recorded of helm-controller that ours does not play as recorded yet, and what is missing. */
export const openStories: Readonly<Record<string, string>> = {
  'rel-render-bad-yaml':
    'how often it was tried is a matter of time: to be recorded again until the installation has failed',
  'rel-account-read-only': 'the same',
  'rel-immutable-job': 'the messages hold a UID, so that no two runs agree: to be recorded again without it',
}
