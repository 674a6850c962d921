import { quote } from '../../../foundations/go/quote.ts'
import { compileRegex } from '../../template/functions/regex.ts'
import { fromJson } from '../../template/values/from-json.ts'
import { integerOf, type Value, type ValueMap } from '../../template/values/value.ts'
import { isTable } from '../read-yaml.ts'
import { type Draft, draftOf, idOf, latestDraft, metaschemas } from './drafts.ts'
import { formats, regexFormat } from './formats.ts'
import type { JsonType, Pattern, Schema } from './schema.ts'
import { validate } from './validate.ts'
import { pointer, violationLines } from './violation.ts'

/** A document that isn't a schema, or refers to what isn't there. The message is that of Helm's library. */
export class BadSchema extends Error {}

/** Gives the schema at a URL. Throws an Error that says why it can't. */
export type LoadSchema = (url: string) => Value

/** Part of a document that has an id of its own, or all of it. */
interface Resource {
  readonly pointer: string
  readonly id: string
  readonly draft: Draft
  readonly anchors: Map<string, string>
  readonly dynamicAnchors: Set<string>
}

interface Document {
  readonly url: string
  readonly root: Value
  readonly resources: Map<string, Resource>
}

/** Compiles a schema and all that it refers to. Throws BadSchema. */
export const compileSchema = (schema: Value, url: string, load: LoadSchema): Schema => {
  const compiler = new Compiler(load, false)
  compiler.add(url, schema)
  return compiler.compile(url, '')
}

/** Metaschemas are the same for all. */
const compiledMetaschemas = new Map<string, Schema>()
const metaschemaOf = ({ url }: Draft): Schema => {
  let schema = compiledMetaschemas.get(url)
  if (!schema) {
    schema = new Compiler(noDocument, true).compile(url, '')
    compiledMetaschemas.set(url, schema)
  }
  return schema
}
const noDocument = (url: string): never => {
  throw new Error(`no metaschema ${url}`)
}

class Compiler {
  private readonly documents = new Map<string, Document>()
  private readonly schemas = new Map<string, Schema>()
  private readonly queue: { readonly document: Document; readonly pointer: string; readonly schema: Schema }[] = []
  private readonly load: LoadSchema
  /** Metaschemas hold their formats against schemas; in later drafts others say nothing. */
  private readonly assertsFormats: boolean

  constructor(load: LoadSchema, assertsFormats: boolean) {
    this.load = load
    this.assertsFormats = assertsFormats
  }

  add(url: string, root: Value): Document {
    const document: Document = { url, root, resources: new Map() }
    collect(document, root, '', url, latestDraft)
    if (!metaschemas.has(url)) checkIsSchema(document, root, '')
    this.documents.set(url, document)
    return document
  }

  compile(url: string, at: string): Schema {
    const schema = this.enqueue(this.documentAt(url), at)
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      this.fill(next.document, next.pointer, next.schema)
    }
    return schema
  }

  private documentAt(url: string): Document {
    const known = this.documents.get(url)
    if (known) return known
    const metaschema = metaschemas.get(url)
    if (metaschema) return this.add(url, fromJson(metaschema))
    let root: Value
    try {
      root = this.load(url)
    } catch (error) {
      throw new BadSchema(`failing loading ${quote(url)}: ${(error as Error).message}`)
    }
    return this.add(url, root)
  }

  private enqueue(document: Document, at: string): Schema {
    const location = `${document.url}#${at}`
    const known = this.schemas.get(location)
    if (known) return known
    const schema = { location, version: resourceOf(document, at).draft.version } as Schema
    this.schemas.set(location, schema)
    this.queue.push({ document, pointer: at, schema })
    return schema
  }

  private fill(document: Document, at: string, schema: Schema): void {
    const value = valueAt(document, at)
    const resource = resourceOf(document, at)
    schema.resource = this.enqueue(document, resource.pointer)
    if (at === resource.pointer && schema.version >= 2020) {
      schema.dynamicAnchors = new Map(
        [...resource.dynamicAnchors].map(name => [name, this.enqueue(document, resource.anchors.get(name)!)]),
      )
    }
    if (typeof value === 'boolean') schema.bool = value
    else if (isTable(value)) {
      if (value.size === 0) schema.bool = true
      else Object.assign(schema, this.keywords(document, at, resource, value))
    }
  }

  private keywords(document: Document, at: string, resource: Resource, object: ValueMap): Partial<Schema> {
    const { version } = resource.draft
    const below = (...tokens: string[]) => this.enqueue(document, at + pointer(tokens))
    const reference = (keyword: string) => {
      const target = object.get(keyword)
      return typeof target === 'string' ? this.refer(document, resource, target) : undefined
    }
    const ref = reference('$ref')
    if (version < 2019 && ref) return { ref }
    const one = (keyword: string) => (object.has(keyword) ? below(keyword) : undefined)
    const list = (keyword: string) => {
      const items = object.get(keyword)
      return Array.isArray(items) ? items.map((_, i) => below(keyword, String(i))) : undefined
    }
    const map = (keyword: string) => {
      const entries = object.get(keyword)
      return isTable(entries) ? new Map([...entries.keys()].map(key => [key, below(keyword, key)])) : undefined
    }
    const oneOrBool = (keyword: string) => {
      const value = object.get(keyword)
      return typeof value === 'boolean' ? value : one(keyword)
    }
    const dependencies = object.get('dependencies')
    const patterns = map('patternProperties')
    const schema: Partial<Schema> = {
      ...(ref && { ref }),
      allOf: list('allOf'),
      anyOf: list('anyOf'),
      oneOf: list('oneOf'),
      not: one('not'),
      properties: map('properties'),
      patternProperties: patterns && [...patterns].map(([source, schema]) => ({ pattern: patternOf(source), schema })),
      additionalProperties: oneOrBool('additionalProperties'),
      dependencies: isTable(dependencies)
        ? new Map(
            [...dependencies].map(([key, value]) => [
              key,
              Array.isArray(value) ? textsOf(value) : below('dependencies', key),
            ]),
          )
        : undefined,
      ...ownRules(object),
    } as Partial<Schema>
    if (version < 2020) {
      const isList = Array.isArray(object.get('items'))
      schema.prefixItems = list('items')
      if (isList) schema.additionalItems = oneOrBool('additionalItems')
      else schema.items = one('items')
    } else {
      schema.prefixItems = list('prefixItems')
      schema.items = one('items')
    }
    if (version < 2019 || this.assertsFormats) schema.format = formatOf(object.get('format'))
    if (version >= 6) {
      schema.contains = one('contains')
      schema.propertyNames = one('propertyNames')
      if (object.has('const')) schema.const = { value: object.get('const') }
    }
    if (version >= 7) {
      schema.if = one('if')
      if (schema.if) {
        // biome-ignore lint/suspicious/noThenProperty: the keyword's name
        schema.then = one('then')
        schema.else = one('else')
      }
    }
    if (version >= 2019) {
      schema.recursiveRef = reference('$recursiveRef')
      schema.recursiveAnchor = object.get('$recursiveAnchor') === true
      if (schema.contains) {
        schema.minContains = wholeOf(object.get('minContains'))
        schema.maxContains = wholeOf(object.get('maxContains'))
      }
      const required = object.get('dependentRequired')
      if (isTable(required))
        schema.dependentRequired = new Map([...required].map(([key, value]) => [key, textsOf(value)]))
      schema.dependentSchemas = map('dependentSchemas')
      schema.unevaluatedItems = one('unevaluatedItems')
      schema.unevaluatedProperties = one('unevaluatedProperties')
    }
    if (version >= 2020) {
      const target = reference('$dynamicRef')
      const fragment = String(object.get('$dynamicRef') ?? '').split('#')[1] ?? ''
      if (target) schema.dynamicRef = { target, anchor: /^(?:$|\/)/.test(fragment) ? '' : fragment }
      schema.dynamicAnchor = textOf(object.get('$dynamicAnchor'))
    }
    return schema
  }

  /** The schema that a reference leads to. */
  private refer(document: Document, { id }: Resource, target: string): Schema {
    const [url, fragment] = resolveUrl(id, target)
    const local = [...document.resources.values()].find(resource => resource.id === url)
    const found = local || url === document.url ? document : this.documentAt(url)
    const resource = local ?? found.resources.get('')!
    const decoded = decodeFragment(fragment)
    if (decoded === '' || decoded.startsWith('/')) return this.checked(found, resource.pointer + decoded)
    const anchor = resource.anchors.get(decoded)
    if (anchor === undefined)
      throw new BadSchema(`anchor in ${quote(`${resource.id}#${fragment}`)} not found in schema ${quote(found.url)}`)
    return this.enqueue(found, anchor)
  }

  /** A place that a reference leads to may be one where no draft expects a schema. */
  private checked(document: Document, at: string): Schema {
    const value = valueAt(document, at)
    if (!this.schemas.has(`${document.url}#${at}`) && !metaschemas.has(document.url)) checkIsSchema(document, value, at)
    return this.enqueue(document, at)
  }
}

/** Finds what has ids and anchors, by the keywords of the draft. */
const collect = (document: Document, schema: Value, at: string, base: string, fallback: Draft): void => {
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
  if ((id !== '' || at === '') && ![...document.resources.values()].some(resource => resource.id === own))
    document.resources.set(at, newResource(at, own, draft))
  const resource = [...document.resources.values()].find(candidate => candidate.id === own)!
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

const newResource = (at: string, id: string, draft: Draft): Resource => ({
  ...{ pointer: at, id, draft },
  anchors: new Map(),
  dynamicAnchors: new Set(),
})

const requireDraft = (declared: string, url: string): Draft => {
  const draft = draftOf(declared)
  if (draft) return draft
  throw new BadSchema(`invalid $schema in ${quote(`${url}#`)}: draft ${quote(declared)} is not supported`)
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

/** The innermost resource that a place lies in. */
const resourceOf = ({ resources }: Document, at: string): Resource => {
  for (let place = at; ; place = place.slice(0, place.lastIndexOf('/'))) {
    const resource = resources.get(place)
    if (resource) return resource
  }
}

const valueAt = ({ url, root }: Document, at: string): Value => {
  let value = root
  for (const token of at.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    const next: Value = isTable(value) ? value.get(key) : Array.isArray(value) ? value[Number(key)] : undefined
    if (next === undefined) throw new BadSchema(`json-pointer in ${quote(`${url}#${at}`)} not found`)
    value = next
  }
  return value
}

const checkIsSchema = (document: Document, value: Value, at: string): void => {
  const metaschema = metaschemaOf(resourceOf(document, at).draft)
  const violation = validate(metaschema, value)
  if (!violation) return
  const { location } = metaschema
  throw new BadSchema(
    `${quote(`${document.url}#${at}`)} is not valid against metaschema: jsonschema validation failed with '${location}'\n${violationLines(violation).trimEnd()}`,
  )
}

/** The absolute URL without its fragment, and the fragment. */
const resolveUrl = (base: string, reference: string): readonly [url: string, fragment: string] => {
  const hash = reference.indexOf('#')
  const path = hash < 0 ? reference : reference.slice(0, hash)
  const fragment = hash < 0 ? '' : reference.slice(hash + 1)
  if (path === '') return [base, fragment]
  if (URL.canParse(path)) return [path, fragment]
  return [URL.canParse(path, base) ? new URL(path, base).href : path, fragment]
}

const decodeFragment = (fragment: string): string => {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

const TYPES: readonly JsonType[] = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object']

/** The rules that hold no other schemas; those of the wrong type say nothing. */
const ownRules = (object: ValueMap): Partial<Schema> => {
  const number = (keyword: string) => numberOf(object.get(keyword))
  const whole = (keyword: string) => wholeOf(object.get(keyword))
  const [type, values, pattern] = [object.get('type'), object.get('enum'), object.get('pattern')]
  const wanted = Array.isArray(type) ? type : [type]
  const types = TYPES.filter(name => wanted.includes(name))
  /** In draft 4 a switch that turns `maximum` into the bound that is not reached. */
  const isExclusive = (keyword: string) => object.get(keyword) === true
  return {
    types: types.length > 0 ? types : undefined,
    enum: Array.isArray(values) ? values : undefined,
    multipleOf: number('multipleOf'),
    maximum: isExclusive('exclusiveMaximum') ? undefined : number('maximum'),
    exclusiveMaximum: number(isExclusive('exclusiveMaximum') ? 'maximum' : 'exclusiveMaximum'),
    minimum: isExclusive('exclusiveMinimum') ? undefined : number('minimum'),
    exclusiveMinimum: number(isExclusive('exclusiveMinimum') ? 'minimum' : 'exclusiveMinimum'),
    minLength: whole('minLength'),
    maxLength: whole('maxLength'),
    pattern: typeof pattern === 'string' ? patternOf(pattern) : undefined,
    minItems: whole('minItems'),
    maxItems: whole('maxItems'),
    uniqueItems: object.get('uniqueItems') === true,
    minProperties: whole('minProperties'),
    maxProperties: whole('maxProperties'),
    required: object.has('required') ? textsOf(object.get('required')) : undefined,
  } as Partial<Schema>
}

const patternOf = (source: string): Pattern => {
  try {
    const regex = compileRegex(source)
    return { source, matches: text => regex.matcher(text).find() }
  } catch (error) {
    throw new BadSchema(`invalid regex ${quote(source)}: ${(error as Error).message}`)
  }
}

const formatOf = (name: Value) => (name === 'regex' ? regexFormat : formats.get(String(name)))

const textOf = (value: Value): string | undefined => (typeof value === 'string' ? value : undefined)
const textsOf = (value: Value): string[] => (Array.isArray(value) ? value.filter(item => typeof item === 'string') : [])
const numberOf = (value: Value): number | undefined =>
  typeof value === 'number' ? value : integerOf(value) === undefined ? undefined : Number(integerOf(value))
const wholeOf = (value: Value): number | undefined => {
  const number = numberOf(value)
  return Number.isInteger(number) ? number : undefined
}
