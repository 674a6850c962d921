import { quote } from '../format/quote.ts'
import { type FunctionMap, TemplateFunction, type Value, type ValueMap } from '../values/value.ts'

/** Parts of a URL as Go's net/url splits it; nothing is looked up or normalised. */
const parseUrl = (text: string): ValueMap => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\x00-\x1f\x7f]/.test(text)) throw problem(text, 'net/url: invalid control character in URL')
  const [beforeFragment, fragment] = cut(text, '#')
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(beforeFragment)?.[1]
  if (!scheme && beforeFragment.startsWith(':')) throw problem(text, 'missing protocol scheme')
  const [rest, query] = cut(scheme ? beforeFragment.slice(scheme.length + 1) : beforeFragment, '?')
  const parts = new Map<string, Value>([
    ['scheme', (scheme ?? '').toLowerCase()],
    ['host', ''],
    ['hostname', ''],
    ['path', ''],
    ['query', query],
    ['opaque', ''],
    ['fragment', decoded(text, fragment)],
    ['userinfo', ''],
  ])
  if (scheme && !rest.startsWith('/')) return parts.set('opaque', rest)
  if (!rest.startsWith('/') && rest.split('/', 1)[0]!.includes(':'))
    throw problem(text, 'first path segment in URL cannot contain colon')
  if (!rest.startsWith('//')) return parts.set('path', decoded(text, rest))
  const slash = rest.indexOf('/', 2)
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash)
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  requireHost(text, host)
  parts.set('userinfo', at < 0 ? '' : authority.slice(0, at))
  parts.set('host', decoded(text, host))
  parts.set('hostname', host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:[0-9]*$/, ''))
  return parts.set('path', slash < 0 ? '' : decoded(text, rest.slice(slash)))
}

const problem = (text: string, reason: string): Error =>
  new Error(`unable to parse url: parse ${quote(text)}: ${reason}`)

const cut = (text: string, separator: string): [string, string] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

const decoded = (url: string, part: string): string => {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(part)?.[0]
  if (bad) throw problem(url, `invalid URL escape ${quote(bad)}`)
  const bytes = part
    .split(/(%[0-9a-fA-F]{2})/)
    .map(piece => (/^%[0-9a-fA-F]{2}$/.test(piece) ? Buffer.from(piece.slice(1), 'hex') : Buffer.from(piece)))
  return Buffer.concat(bytes).toString('utf8')
}

const requireHost = (text: string, host: string): void => {
  const bad = /[ "<>\\^`{|}]/.exec(host)?.[0]
  if (bad) throw problem(text, `invalid character ${quote(bad)} in host name`)
  const port = /:([^:\]]*)$/.exec(host)?.[1]
  if (port !== undefined && !/^[0-9]*$/.test(port)) throw problem(text, `invalid port ${quote(`:${port}`)} after host`)
}

/** The URL of such parts. */
const joinUrl = (parts: ValueMap): string => {
  const part = (name: string): string => {
    const value = parts.get(name)
    if (value === undefined) return ''
    if (typeof value === 'string') return value
    throw new Error(`unable to parse ${name} key, must be of type string, but interface found`)
  }
  const [scheme, host, path, opaque] = [part('scheme'), part('host'), part('path'), part('opaque')]
  const userinfo = part('userinfo')
  const authority = host || userinfo ? `//${userinfo && `${userinfo}@`}${host}` : ''
  const separated = path && !path.startsWith('/') && host ? `/${path}` : path
  const head = opaque || `${authority}${encodedPath(separated)}`
  const [query, fragment] = [part('query'), part('fragment')]
  return `${scheme && `${scheme}:`}${head}${query && `?${query}`}${fragment && `#${encodedPath(fragment)}`}`
}

const encodedPath = (path: string): string =>
  encodeURI(path.toWellFormed()).replace(/[#?[\]]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

export const urlFunctions: FunctionMap = new Map([
  ['urlParse', new TemplateFunction(['string'], parseUrl)],
  ['urlJoin', new TemplateFunction(['map[string]interface {}'], joinUrl)],
])
