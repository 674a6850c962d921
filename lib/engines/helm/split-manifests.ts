/** A line that begins so, whatever follows it on the line. */
const SEPARATOR = /(?<![^\n])---[ \t]*/
const LEADING = /^\p{White_Space}+/u

/** The documents of a rendered file, without those that are blank. What stands behind a document's end stays with it. */
export const splitManifests = (text: string): string[] =>
  text
    .replace(LEADING, '')
    .split(SEPARATOR)
    .map(document => document.replace(LEADING, ''))
    .filter(document => document !== '')
