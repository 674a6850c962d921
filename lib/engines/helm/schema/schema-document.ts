import { quote } from '../../../foundations/go/quote.ts'
import type { Value, ValueMap } from '../../template/values/value.ts'
import { isTable } from '../read-yaml.ts'
import { type Draft, draftOf, idOf } from './drafts.ts'
import { InvalidSchema } from './invalid-schema.ts'
import { textOf } from './own-rules.ts'
import { pointer } from './violation.ts'

/** A document, or a part of it with its own id. */
export interface Resource {
  readonly pointer: string
  readonly id: string
  readonly draft: Draft
  readonly anchors: Map<string, string>
  readonly dynamicAnchors: Set<string>
}

export interface SchemaDocument {
  readonly url: string
  readonly root: Value
  readonly resources: Map<string, Resource>
}

/** Finds ids and anchors by the draft's keywords. */
export const collect = (document: SchemaDocument, schema: Value, at: string, base: string, fallback: Draft): void => {
  if (!isTable(schema)) {
    if (at === '') document.resources.set('', newResource('', base, fallback))
    return
  }
  const declared = schema.get('$schema')
  let draft = typeof declared === 'string' ? requireDraft(declared, document.url) : fallback
  let id = idOf(schema, draft)
  if (id === '' && at !== '') {
    draft = fallback
    id = idOf(schema, draft)
  }
  const own = id === '' ? base : resolveUrl(base, id)[0]
  if ((id !== '' || at === '') && !resourceWithId(document, own))
    document.resources.set(at, newResource(at, own, draft))
  const resource = resourceWithId(document, own)!
  collectAnchors(resource, schema, at)
  const into = (value: Value, ...tokens: string[]) =>
    collect(document, value, at + pointer(tokens), own, resource.draft)
  for (const keyword of draft.single) {
    const value = schema.get(keyword)
    if (isTable(value)) into(value, keyword)
  }
  for (const keyword of draft.lists) {
    const value = schema.get(keyword)
    if (Array.isArray(value)) for (const [i, item] of value.entries()) into(item, keyword, String(i))
  }
  for (const keyword of draft.maps) {
    const value = schema.get(keyword)
    if (isTable(value)) for (const [key, item] of value) into(item, keyword, key)
  }
}

/** The resource with an id, which is an absolute URL. */
export const resourceWithId = ({ resources }: SchemaDocument, id: string): Resource | undefined =>
  resources.values().find(resource => resource.id === id)

const newResource = (at: string, id: string, draft: Draft): Resource => ({
  ...{ pointer: at, id, draft },
  anchors: new Map(),
  dynamicAnchors: new Set(),
})

const requireDraft = (declared: string, url: string): Draft => {
  const draft = draftOf(declared)
  if (draft) return draft
  throw new InvalidSchema(`invalid $schema in ${quote(`${url}#`)}: draft ${quote(declared)} is not supported`)
}

const collectAnchors = ({ draft, anchors, dynamicAnchors }: Resource, schema: ValueMap, at: string): void => {
  const text = (keyword: string) => textOf(schema.get(keyword))
  if (draft.version < 2019) {
    const fragment = schema.has('$ref') ? '' : (text(draft.id)?.split('#')[1] ?? '')
    if (fragment !== '' && !fragment.startsWith('/')) anchors.set(fragment, at)
    return
  }
  const anchor = text('$anchor')
  if (anchor !== undefined) anchors.set(anchor, at)
  const dynamic = draft.version >= 2020 ? text('$dynamicAnchor') : undefined
  if (dynamic === undefined) return
  anchors.set(dynamic, at)
  dynamicAnchors.add(dynamic)
}

/** The innermost resource that contains a place. */
export const resourceOf = ({ resources }: SchemaDocument, at: string): Resource => {
  if (resources.size === 1) return resources.get('')!
  for (let place = at; ; place = place.slice(0, place.lastIndexOf('/'))) {
    const resource = resources.get(place)
    if (resource) return resource
  }
}

/** The part of a document at a JSON pointer (RFC 6901). Throws InvalidSchema where there is none. */
export const valueAt = ({ url, root }: SchemaDocument, at: string): Value => {
  let value = root
  for (const token of at.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    const next: Value = isTable(value) ? value.get(key) : Array.isArray(value) ? value[Number(key)] : undefined
    if (next === undefined) throw new InvalidSchema(`json-pointer in ${quote(`${url}#${at}`)} not found`)
    value = next
  }
  return value
}

/** The absolute URL without its fragment, and the fragment. */
export const resolveUrl = (base: string, reference: string): readonly [url: string, fragment: string] => {
  const hash = reference.indexOf('#')
  const path = hash < 0 ? reference : reference.slice(0, hash)
  const fragment = hash < 0 ? '' : reference.slice(hash + 1)
  if (path === '') return [base, fragment]
  if (URL.canParse(path)) return [path, fragment]
  return [URL.canParse(path, base) ? new URL(path, base).href : path, fragment]
}

/** A fragment of a URL without percent-encoding; as it is if the encoding is invalid. */
export const decodeFragment = (fragment: string): string => {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
