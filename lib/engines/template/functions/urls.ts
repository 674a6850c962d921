import { type FunctionMap, isNothing, kindOf, TemplateFunction, type Value, type ValueMap } from '../values/value.ts'
import { escaped, parseUrl, type UrlParts, unescapedIn } from './parse-url.ts'

const parse = (text: string, what: string): UrlParts => {
  try {
    return parseUrl(text)
  } catch (error) {
    throw new Error(`unable to parse ${what}: ${(error as Error).message}`)
  }
}

/** Joins the parts of a URL. */
const joinUrl = (parts: ValueMap): string => {
  const part = (name: keyof UrlParts): string => {
    const value = parts.has(name) ? parts.get(name) : ''
    if (typeof value === 'string') return value
    if (isNothing(value)) throw new Error('runtime error: invalid memory address or nil pointer dereference')
    throw new Error(`unable to parse ${name} key, must be of type string, but ${kindOf(value)} found`)
  }
  const [scheme, host, path, query] = [part('scheme'), part('host'), pathOf(part('path')), part('query')]
  const [opaque, fragment, user] = [part('opaque'), part('fragment'), part('userinfo')]
  const userinfo = user && parse(`proto://${user}@host`, 'userinfo in dict').userinfo
  const hasAuthority = host || userinfo || (scheme && path)
  const authority = hasAuthority && `//${userinfo && `${userinfo}@`}${escaped(host, unescapedIn.host)}`
  const tail = (query && `?${query}`) + (fragment && `#${escaped(fragment, unescapedIn.fragment)}`)
  return (scheme && `${scheme}:`) + (opaque || authority + separator(path, scheme, host, userinfo) + path) + tail
}

const pathOf = (path: string): string => (path === '*' ? path : escaped(path, unescapedIn.path))

/** The separator that a path needs before it. */
const separator = (path: string, scheme: string, host: string, userinfo: string): string => {
  if (host && path && !path.startsWith('/')) return '/'
  const isFirst = !(scheme || host || userinfo)
  return isFirst && /^[^/]*:/.test(path) ? './' : ''
}

export const urlFunctions: FunctionMap = new Map([
  [
    'urlParse',
    new TemplateFunction(['string'], (text: string) => new Map<string, Value>(Object.entries(parse(text, 'url')))),
  ],
  ['urlJoin', new TemplateFunction(['map[string]interface {}'], joinUrl)],
])
