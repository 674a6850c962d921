import { ensure, fail } from './format-check.ts'

/** Formats of URIs, with the messages of Helm's library and of Go. */

/** An absolute URI: what `uriReference` accepts, and it begins with a scheme. */
export const uri = (text: string): void => {
  uriReference(text)
  ensure(/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text), 'relative url')
}

/** What Go's net/url refuses, as far as chart values are likely to contain it. */
const uriReference = (text: string): void => {
  const bad = (problem: string) => fail(`parse ${JSON.stringify(text)}: ${problem}`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go refuses them
  if (/[\0-\x1f\x7f]/.test(text)) bad('net/url: invalid control character in URL')
  if (text.startsWith(':')) bad('missing protocol scheme')
  const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text.split('#')[0]!.split('?')[0]!)
  if (badEscape) bad(`invalid URL escape ${JSON.stringify(badEscape[0])}`)
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)
  const first = text.split(/[/?#]/)[0]!
  if (!scheme && first.includes(':')) bad('first path segment in URL cannot contain colon')
  const host = /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(text)?.[1]
  const odd = host === undefined ? null : /[ <>"{}|\\^`]/.exec(host)
  if (odd) bad(`invalid character ${JSON.stringify(odd[0])} in host name`)
  const port = host === undefined ? null : /:([^:\]]*)$/.exec(host)
  if (port && !/^\d*$/.test(port[1]!)) bad(`invalid port ${JSON.stringify(`:${port[1]}`)} after host`)
}

/** A URI reference of RFC 3986, which has no backslash: Go's parser would accept one. */
export const checkedReference = (text: string): void => {
  ensure(!text.includes('\\'), 'contains \\')
  uriReference(text)
}

/**
 * A template of RFC 6570, as far as the library checks it: braces of each segment of the path are balanced and not
 * nested.
 */
export const uriTemplate = (text: string): void => {
  uriReference(text)
  const [path = ''] = text.replace(/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/]*/, '').split(/[?#]/)
  for (const segment of path.split('/')) {
    let open = false
    for (const brace of segment.match(/[{}]/g) ?? []) {
      ensure(open !== (brace === '{'), 'nested curly braces')
      open = !open
    }
    ensure(!open, 'no matching closing brace')
  }
}
