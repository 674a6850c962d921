/** A line that starts with `---`, whatever follows on it. */
const SEPARATOR = /(?<![^\n])---[ \t]*/
/** The separator with all surrounding white space. */
const TIGHT_SEPARATOR = /(?:^|[ \t\r\n\f]*\n)---[ \t\r\n\f]*/
const LEADING = /^\p{White_Space}+/u

const splitAt = (text: string, separator: RegExp): string[] =>
  text
    .replace(LEADING, '')
    .split(separator)
    .map(document => document.replace(LEADING, ''))
    .filter(document => document !== '')

/** The documents of a rendered file, except blank ones. Trailing text stays with its document. */
export const splitManifests = (text: string): string[] => splitAt(text, SEPARATOR)

/** Like `splitManifests`, but drops blank lines at the end of documents, as Helm did until 4.2. */
export const splitTightly = (text: string): string[] => splitAt(text, TIGHT_SEPARATOR)
