import { quote } from '../../../foundations/go/quote.ts'
import { ipBytes } from '../certificates/ip-address.ts'
import { bytesOf, textOf } from '../values/text.ts'

/** The parts of a URL, as Go's net/url has them. */
export interface UrlParts {
  readonly scheme: string
  readonly opaque: string
  /** Name and password, escaped again. */
  readonly userinfo: string
  readonly host: string
  readonly hostname: string
  readonly path: string
  readonly query: string
  readonly fragment: string
}

/** Splits a URL without normalizing it. Throws with Go's message. */
export const parseUrl = (text: string): UrlParts => {
  const [beforeFragment, fragment] = cut(text, '#')
  const parts = naming(beforeFragment, () => partsOf(beforeFragment))
  return { ...parts, fragment: naming(text, () => unescaped(fragment)) }
}

/** The characters that stay unescaped in a part of the URL. */
export type Kept = RegExp
export const unescapedIn = {
  host: /[A-Za-z0-9!"$&'()*+,\-.:;<=>[\]_~]/,
  path: /[A-Za-z0-9$&+,\-./:;=@_~]/,
  fragment: /[A-Za-z0-9!$&()*+,\-./:;=?@_~]/,
  userinfo: /[A-Za-z0-9$&+,\-.;=_~]/,
} as const

/** Percent-encodes the UTF-8 bytes of all characters but the kept ones. */
export const escaped = (text: string, kept: Kept): string =>
  text.replace(/./gsu, c => (kept.test(c) ? c : bytesOf(c).toString('hex').toUpperCase().replace(/../g, '%$&')))

const naming = <T>(url: string, parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    throw new Error(`parse ${quote(url)}: ${(error as Error).message}`)
  }
}

const partsOf = (text: string): Omit<UrlParts, 'fragment'> => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\x00-\x1f\x7f]/.test(text)) throw new Error('net/url: invalid control character in URL')
  if (text.startsWith(':')) throw new Error('missing protocol scheme')
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(text)?.[0] ?? ''
  const [rest, query] = cut(scheme ? text.slice(scheme.length + 1) : text, '?')
  const none = { opaque: '', userinfo: '', host: '', hostname: '', path: '' }
  const parts = { ...none, scheme: scheme.toLowerCase(), query }
  if (!rest.startsWith('/')) {
    if (scheme) return { ...parts, opaque: rest }
    if (cut(rest, '/')[0].includes(':')) throw new Error('first path segment in URL cannot contain colon')
  }
  if (!rest.startsWith('//') || (!scheme && rest.startsWith('///'))) return { ...parts, path: unescaped(rest) }
  const [authority, path] = cutBefore(rest.slice(2), '/')
  const at = authority.lastIndexOf('@') + 1
  const host = hostOf(parts.scheme, authority.slice(at))
  const userinfo = userinfoOf(authority.slice(0, Math.max(0, at - 1)))
  return { ...parts, userinfo, host, hostname: hostnameOf(host), path: unescaped(path) }
}

const cut = (text: string, separator: string): [string, string] => {
  const [before, after] = cutBefore(text, separator)
  return [before, after.slice(1)]
}
const cutBefore = (text: string, separator: string): [string, string] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

const unescaped = (part: string): string => {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(part)?.[0]
  if (bad) throw new Error(`invalid URL escape ${quote(bad)}`)
  const bytes = part
    .split(/(%[0-9a-fA-F]{2})/)
    .map((piece, i) => (i % 2 === 1 ? Buffer.from(piece.slice(1), 'hex') : bytesOf(piece)))
  return textOf(Buffer.concat(bytes))
}

/** In a host only non-ASCII characters may be escaped. */
const unescapedHost = (part: string): string => {
  for (const [, bad, character] of part.matchAll(/%(?:[89a-fA-F][0-9a-fA-F]|25)|(%.{0,2})|([^%])/gsu)) {
    if (bad) throw new Error(`invalid URL escape ${quote(bad)}`)
    if (character && character < '\x80' && !unescapedIn.host.test(character))
      throw new Error(`invalid character ${quote(character)} in host name`)
  }
  return unescaped(part)
}

const hostOf = (scheme: string, host: string): string => {
  const bracket = host.lastIndexOf('[')
  if (bracket > 0) throw new Error('invalid IP-literal')
  if (bracket === 0) return literalOf(host)
  // Database URLs may list several hosts, each with its port: the last port counts.
  const colon = /^https?$/.test(scheme) ? host.indexOf(':') : host.lastIndexOf(':')
  if (colon >= 0) requirePort(host.slice(colon))
  return unescapedHost(host)
}

/** An IPv6 address in brackets, with its zone, and a port. */
const literalOf = (host: string): string => {
  if (!host.includes(']')) throw new Error("missing ']' in host")
  const end = host.lastIndexOf(']')
  requirePort(host.slice(end + 1))
  const [address, zone] = cutBefore(host.slice(1, end), '%25')
  const inside = unescapedHost(address) + unescaped(zone)
  if (!ipBytes(address)) throw new Error(`invalid host: ParseAddr(${quote(inside)}): unable to parse IP`)
  if (!address.includes(':')) throw new Error('invalid IP-literal')
  return `[${inside}]${host.slice(end + 1)}`
}

const requirePort = (port: string): void => {
  if (!/^(?::[0-9]*)?$/.test(port)) throw new Error(`invalid port ${quote(port)} after host`)
}

const hostnameOf = (host: string): string => host.replace(/:[0-9]*$/, '').replace(/\[(.*)\]/, '$1')

const userinfoOf = (text: string): string => {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(text)) throw new Error('net/url: invalid userinfo')
  const [name, password] = cutBefore(text, ':')
  const escapedAgain = (part: string): string => escaped(unescaped(part), unescapedIn.userinfo)
  return password === '' ? escapedAgain(name) : `${escapedAgain(name)}:${escapedAgain(password.slice(1))}`
}
