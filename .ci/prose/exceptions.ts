export interface ProseException {
  /** Path of the page, or of a folder that ends in a slash. */
  readonly page: string
  /** Part of the message; absent for all messages of the page. */
  readonly message?: string
  readonly why: string
}

/** What the prose linter may find. One that nothing needs any more fails the check. */
export const exceptions: readonly ProseException[] = [
  { page: 'docs/decisions/', why: 'records of their time: they are superseded, not rewritten' },
  { page: 'docs/glossary.md', message: '“', why: 'its last table lists the words' },
  { page: 'docs/CHANGELOG.md', why: 'nothing is released yet: the entries are rewritten for the first release' },
]

/** Words that retext-simplify calls complex, and that are terms here, or have no shorter word of the same meaning. */
export const terms: readonly string[] = [
  'address',
  'all of',
  'as to',
  'combined',
  'component',
  'contains',
  'delete',
  'effect',
  'forward',
  'function',
  'identify',
  'immediately',
  'implement',
  'in addition',
  'in between',
  'interface',
  'it is',
  'minimum',
  'option',
  'permit',
  'previous',
  'proceed',
  'provide',
  'remain',
  'request',
  'render',
  'require',
  'selection',
  'there are',
  'there is',
  'type',
]
