/** A line that starts with `---`, whatever follows on it. */
const SEPARATOR = /(?<![^\n])---[ \t]*/
const LEADING = /^\p{White_Space}+/u

/** The documents of a rendered file, except blank ones. Trailing text stays with its document. */
export const splitManifests = (text: string): string[] =>
  text
    .replace(LEADING, '')
    .split(SEPARATOR)
    .map(document => document.replace(LEADING, ''))
    .filter(document => document !== '')
