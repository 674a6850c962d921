import { quote } from '../../../foundations/go/quote.ts'
import { fromJson } from '../../template/values/from-json.ts'
import type { Value, ValueMap } from '../../template/values/value.ts'
import { isTable } from '../read-yaml.ts'
import { type Draft, latestDraft, metaschemas } from './drafts.ts'
import { formats, regexFormat } from './formats.ts'
import { InvalidSchema } from './invalid-schema.ts'
import { ownRules, patternOf, textOf, textsOf, wholeOf } from './own-rules.ts'
import type { Schema } from './schema.ts'
import {
  collect,
  decodeFragment,
  type Resource,
  resolveUrl,
  resourceOf,
  resourceWithId,
  type SchemaDocument,
  valueAt,
} from './schema-document.ts'
import { validate } from './validate.ts'
import { pointer, violationLines } from './violation.ts'

/** Loads the schema at a URL. Throws Error with the reason if it can't. */
export type LoadSchema = (url: string) => Value

/** Compiles a schema and everything it refers to. Throws InvalidSchema. */
export const compileSchema = (schema: Value, url: string, load: LoadSchema): Schema => {
  const compiler = new Compiler(load, false)
  compiler.add(url, schema)
  return compiler.compile(url, '')
}

/** Compiled metaschemas are shared. */
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
  private readonly documents = new Map<string, SchemaDocument>()
  private readonly schemas = new Map<string, Schema>()
  private readonly queue: { readonly document: SchemaDocument; readonly pointer: string; readonly schema: Schema }[] =
    []
  private readonly load: LoadSchema
  /** Metaschemas check formats; in later drafts other schemas ignore them. */
  private readonly assertsFormats: boolean

  constructor(load: LoadSchema, assertsFormats: boolean) {
    this.load = load
    this.assertsFormats = assertsFormats
  }

  add(url: string, root: Value): SchemaDocument {
    const document: SchemaDocument = { url, root, resources: new Map() }
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

  private documentAt(url: string): SchemaDocument {
    const known = this.documents.get(url)
    if (known) return known
    const metaschema = metaschemas.get(url)
    if (metaschema) return this.add(url, fromJson(metaschema))
    let root: Value
    try {
      root = this.load(url)
    } catch (error) {
      throw new InvalidSchema(`failing loading ${quote(url)}: ${(error as Error).message}`)
    }
    return this.add(url, root)
  }

  private enqueue(document: SchemaDocument, at: string): Schema {
    const location = `${document.url}#${at}`
    const known = this.schemas.get(location)
    if (known) return known
    const schema = { location, version: resourceOf(document, at).draft.version } as Schema
    this.schemas.set(location, schema)
    this.queue.push({ document, pointer: at, schema })
    return schema
  }

  private fill(document: SchemaDocument, at: string, schema: Schema): void {
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

  private keywords(document: SchemaDocument, at: string, resource: Resource, object: ValueMap): Partial<Schema> {
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
  private refer(document: SchemaDocument, { id }: Resource, target: string): Schema {
    const [url, fragment] = resolveUrl(id, target)
    const local = resourceWithId(document, url)
    const found = local || url === document.url ? document : this.documentAt(url)
    const resource = local ?? found.resources.get('')!
    const decoded = decodeFragment(fragment)
    if (decoded === '' || decoded.startsWith('/')) return this.checked(found, resource.pointer + decoded)
    const anchor = resource.anchors.get(decoded)
    if (anchor === undefined)
      throw new InvalidSchema(
        `anchor in ${quote(`${resource.id}#${fragment}`)} not found in schema ${quote(found.url)}`,
      )
    return this.enqueue(found, anchor)
  }

  /** A reference may point to a place where no draft expects a schema. */
  private checked(document: SchemaDocument, at: string): Schema {
    const value = valueAt(document, at)
    if (!this.schemas.has(`${document.url}#${at}`) && !metaschemas.has(document.url)) checkIsSchema(document, value, at)
    return this.enqueue(document, at)
  }
}

const checkIsSchema = (document: SchemaDocument, value: Value, at: string): void => {
  const metaschema = metaschemaOf(resourceOf(document, at).draft)
  const violation = validate(metaschema, value)
  if (!violation) return
  const { location } = metaschema
  throw new InvalidSchema(
    `${quote(`${document.url}#${at}`)} is not valid against metaschema: jsonschema validation failed with '${location}'\n${violationLines(violation).trimEnd()}`,
  )
}

const formatOf = (name: Value) => (name === 'regex' ? regexFormat : formats.get(String(name)))
