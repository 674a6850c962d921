/** Addresses of the console. Everything that a page shows is in its address, so that it can be shared, and going back loses nothing. Pure. */
import { objectPath } from '../../foundations/rules/object-path.ts'
import { withQuery } from '../../hub-client/with-query.ts'

export const objectTabs = [
  ...(['overview', 'inputs', 'users', 'deliveries'] as const),
  ...(['changes', 'plans', 'diff', 'objects', 'events', 'yaml'] as const),
] as const
export type ObjectTab = (typeof objectTabs)[number]

/** Pages without an object of their own. */
const simplePages = [
  ...([
    'units',
    'sources',
    'clusters',
    'plans',
    'rollouts',
    'runs',
    'audit',
    'moment',
    'receivers',
    'search',
    'login',
  ] as const),
] as const

export type Route =
  | { readonly page: 'fleet' | 'missing' | (typeof simplePages)[number] }
  | {
      readonly page: 'object'
      readonly kind: string
      readonly namespace: string
      readonly name: string
      readonly tab: ObjectTab
    }
  | { readonly page: 'run'; readonly namespace: string; readonly name: string }

export type Query = Readonly<Record<string, string>>

/** The page of a path; `missing` for one that the console does not have. */
export const routeOf = (pathname: string): Route => {
  const [first = '', ...rest] = pathname.split('/').slice(1).map(decoded)
  if (first === '' && rest.length === 0) return { page: 'fleet' }
  if (first === 'runs' && rest.length === 2) return { page: 'run', namespace: rest[0]!, name: rest[1]! }
  if (first === 'objects' && (rest.length === 3 || rest.length === 4)) {
    const [kind = '', namespace = '', name = '', tab = 'overview'] = rest
    const known = objectTabs.find(one => one === tab)
    return known ? { page: 'object', kind, namespace, name, tab: known } : { page: 'missing' }
  }
  const simple = simplePages.find(page => page === first && rest.length === 0)
  return { page: simple ?? 'missing' }
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const path = (...parts: readonly string[]): string => `/${parts.map(encodeURIComponent).join('/')}`

/** An address that may have terms, with more of them. */
export const withTerms = (href: string, terms: Readonly<Record<string, string | undefined>>): string => {
  const [pathname = '', query] = href.split('?')
  return withQuery(pathname, { ...Object.fromEntries(new URLSearchParams(query)), ...terms })
}

export interface ObjectName {
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name: string
}

/** The address of an object, or of a part of its page. */
export const objectHref = ({ kind, namespace = '', name }: ObjectName, tab: ObjectTab = 'overview'): string =>
  objectPath({ kind, namespace, name }, ...(tab === 'overview' ? [] : [tab]))

/** What happened around a time, RFC 3339. */
export const momentHref = (at: string): string => withQuery('/moment', { at })

/** The address of a Run, by its namespace and name. */
export const runHref = (namespace: string, name: string): string => path('runs', namespace, name)

/** `Kind/namespace/name`, as fleets name objects. undefined for names of another form, such as `hub`. */
export const parseObjectName = (text: string): (ObjectName & { readonly namespace: string }) | undefined => {
  const [, kind, namespace, name] = /^([A-Z]\w*)\/([^/]+)\/(.+)$/.exec(text) ?? []
  return kind && namespace && name ? { kind, namespace, name } : undefined
}
