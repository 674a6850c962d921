import { formatFloat } from '../../foundations/go/format-float.ts'
import { duplicateKeys, MAX_PROBLEMS } from './duplicate-keys.ts'
import { goSyntax } from './go-syntax.ts'
import { type JsonObject, type JsonValue, setKey } from './json-value.ts'
import { floatKey, hasOddKey, isBareEmpty, isMergeKey, targetOf } from './mapping-keys.ts'
import { mayChangeWhenWritten } from './may-change-when-written.ts'
import type { YamlNode } from './node.ts'
import { resolve, type YamlSchema } from './resolve.ts'
import { BEYOND_INT64, scalarToJson } from './scalar-to-json.ts'
import { UnsupportedData, YamlError } from './yaml-error.ts'

/**
 * Limits the expansion of aliases as go-yaml does: their share of the decoded nodes, more strictly in large documents. Its other limits, a
 * hundred aliased nodes and a thousand in total, have no effect: fewer nodes can't be 99 % aliased.
 */
const RATIO_FROM = 400_000
const RATIO_TO = 4_000_000
/** More than a text can nest by itself (a thousand levels of blocks and as many of brackets): aliases can go deeper. */
const MAX_DEPTH = 2100

export interface ToJsonOptions {
  readonly schema: YamlSchema
  /** The last of duplicate keys wins; otherwise they are refused. */
  readonly lastKeyWins?: boolean
}

/** Converts a document tree to data. Throws a YamlError for values that JSON can't represent. */
export const toJson = (root: YamlNode, options: ToJsonOptions): JsonValue => decodeNode(root, options).value

/** The same, and whether the data may change if kyaml writes the tree and parses the result. */
export const decodeNode = (root: YamlNode, options: ToJsonOptions): { value: JsonValue; mayChange: boolean } => {
  const decoder = new Decoder(options)
  const value = decoder.decode(root, false, true)
  if (decoder.problems.length > 0) throw new YamlError(['unmarshal errors:', ...decoder.problems].join('\n  '))
  if (decoder.refused !== undefined) throw new UnsupportedData(decoder.refused)
  const fault = decoder.unsupported ? firstUnsupported(value) : undefined
  if (fault !== undefined) throw new UnsupportedData(`json: unsupported ${fault}`, value)
  return { value, mayChange: decoder.mayChange }
}

/** The first value that Go's JSON encoder rejects: it writes fields in the order of their names. */
const firstUnsupported = (value: JsonValue): string | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `value: ${formatFloat(value, 'g', -1)}`
  if (typeof value !== 'object' || value === null) return undefined
  if (value instanceof Map) return 'type: map[interface {}]interface {}'
  const parts = Array.isArray(value)
    ? value
    : Object.keys(value)
        .sort()
        .map(name => value[name]!)
  for (const part of parts) {
    const fault = firstUnsupported(part)
    if (fault !== undefined) return fault
  }
  return undefined
}

class Decoder {
  private readonly schema: YamlSchema
  private readonly lastKeyWins: boolean
  /** Keys and the document count too. */
  private decoded = 1
  private aliased = 0
  private aliasDepth = 0
  private depth = 0
  /** Keys that a mapping already has, which merged mappings don't override. */
  private taken: Set<JsonValue> | undefined
  private readonly open = new Set<YamlNode>()
  /** Whether the decoded data goes into a message of Kubernetes' older parser, whose maps have keys of any type. */
  private isShown = false
  /** Nodes in flow collections that aliases may refer to. */
  private readonly anchoredInFlow = new Set<YamlNode>()
  /** The last key that has no JSON name. Kubernetes' older parser converts names only after reading: errors come first. */
  refused: string | undefined
  /** Found an infinity or NaN, or below the top level a mapping with keys other than strings. */
  unsupported = false
  /** Found a text that go-yaml may not write so that it reads back the same. */
  mayChange = false
  /** Problems with single keys: go-yaml reads on, and reports them together. */
  readonly problems: string[] = []

  constructor({ schema, lastKeyWins = false }: ToJsonOptions) {
    this.schema = schema
    this.lastKeyWins = lastKeyWins
  }

  decode(node: YamlNode, inFlow: boolean, top = false): JsonValue {
    this.count()
    if (inFlow && node.anchor !== undefined) this.anchoredInFlow.add(node)
    if (++this.depth > MAX_DEPTH) throw new YamlError(`exceeded max depth of ${MAX_DEPTH}`)
    // Inline rather than a function: there may be many levels, and the stack is small.
    let value: JsonValue
    if (node.kind === 'scalar') value = this.scalar(node, inFlow)
    else if (node.kind === 'seq') value = this.sequence(node, inFlow || node.style === 'flow')
    else if (node.kind === 'map') value = this.mapping(node, inFlow || node.style === 'flow', top)
    else value = this.alias(node, top)
    this.depth--
    return value
  }

  private report(found: readonly string[]): void {
    this.problems.push(...found.slice(0, Math.max(0, MAX_PROBLEMS - this.problems.length)))
  }

  private scalar(node: YamlNode, inFlow: boolean): JsonValue {
    // An empty text in a flow collection is written with quotes, so kyaml reads it back as a string.
    if (inFlow && this.schema === 'kyaml' && isBareEmpty(node)) return ''
    if (!inFlow && !this.mayChange && mayChangeWhenWritten(node)) this.mayChange = true
    const value = scalarToJson(node, this.schema)
    if (typeof value === 'number' && !Number.isFinite(value)) this.unsupported = true
    return value
  }

  private count(): void {
    this.decoded++
    if (this.aliasDepth === 0) return
    this.aliased++
    const over = Math.min(Math.max((this.decoded - RATIO_FROM) / (RATIO_TO - RATIO_FROM), 0), 1)
    if (this.aliased / this.decoded > 0.99 - 0.89 * over) throw new YamlError('document contains excessive aliasing')
  }

  private sequence(node: YamlNode, inFlow: boolean): JsonValue[] {
    // No function per item, for the same reason.
    const items: JsonValue[] = []
    for (const item of node.content) items.push(this.decode(item, inFlow))
    return items
  }

  private mapping(node: YamlNode, inFlow: boolean, top: boolean): JsonObject {
    const { content } = node
    if (!this.lastKeyWins) {
      const duplicates = duplicateKeys(node)
      if (duplicates.length > 0) {
        this.report(duplicates)
        return {}
      }
    }
    if (this.isShown || (!top && this.schema === 'kyaml' && hasOddKey(node))) return this.oddMapping(node, inFlow)
    const { taken } = this
    this.taken = undefined
    const object: JsonObject = {}
    let merged: YamlNode | undefined
    for (let i = 0; i < content.length; i += 2) {
      const key = content[i]!
      const value = content[i + 1]!
      if (isMergeKey(key)) {
        if (this.schema === 'kyaml') merged = value
        else this.merge(object, value)
        continue
      }
      const name = this.key(key, value, inFlow, top)
      if (name === undefined || taken?.has(name)) continue
      taken?.add(name)
      setKey(object, name, this.decode(value, inFlow))
    }
    this.taken = taken
    if (merged) this.mergeMissing(node, object, merged)
    return object
  }

  /** Only used in a message: Go's map of anything. */
  private oddMapping(node: YamlNode, inFlow: boolean): JsonObject {
    this.unsupported = true
    const { content } = node
    const entries = new Map<JsonValue, JsonValue>()
    let merged: YamlNode | undefined
    for (let i = 0; i < content.length; i += 2) {
      const [key, value] = [content[i]!, content[i + 1]!]
      if (isMergeKey(key) && this.schema === 'kyaml') merged = value
      else if (isMergeKey(key)) for (const [name, part] of this.mergedEntries(value)) entries.set(name, part)
      else if (targetOf(key).kind !== 'scalar') throw this.invalidKey(key, inFlow)
      else entries.set(this.decode(key, inFlow), this.decode(value, inFlow))
    }
    if (merged) this.mergeMissing(node, {}, merged)
    return entries as unknown as JsonObject
  }

  /** Undefined for a null at the top of a document, which kyaml skips, and for a key that is refused at the end. */
  private key(node: YamlNode, owner: YamlNode, inFlow: boolean, top: boolean): string | undefined {
    this.count()
    const key = targetOf(node)
    if (key.kind !== 'scalar') {
      if (!top || this.schema === 'kubernetes') throw this.invalidKey(node, inFlow)
      const duplicates = key.kind === 'map' ? duplicateKeys(key) : []
      const text = key.tag === `!!${key.kind}` ? '' : ' ``'
      this.report(
        duplicates.length > 0 ? duplicates : [`line ${key.line}: cannot unmarshal ${key.tag}${text} into string`],
      )
      return undefined
    }
    if (this.schema === 'kyaml' && isBareEmpty(node)) return key.value
    const value = scalarToJson(key, this.schema)
    if (this.schema === 'kyaml') return value === null ? undefined : key.tag === '!!binary' ? String(value) : key.value
    const refuse = (type: string, text: string): undefined => {
      this.refused = `unsupported map key of type: ${type}, key: ${text}, value: ${this.shown(owner, inFlow)}`
    }
    if (value === null) return refuse('%!s(<nil>)', '<nil>')
    if (typeof value === 'bigint' && value >= BEYOND_INT64) return refuse('uint64', `0x${value.toString(16)}`)
    const isFloat = (key.tagged ? key.tag : resolve(key.value, this.schema).tag) === '!!float'
    return typeof value === 'number' && isFloat ? floatKey(value) : String(value)
  }

  private invalidKey(key: YamlNode, inFlow: boolean): YamlError {
    return new YamlError(`invalid map key: ${this.shown(key, inFlow)}`)
  }

  /** As Go's `%#v` prints it. */
  private shown(node: YamlNode, inFlow: boolean): string {
    this.isShown = this.schema === 'kubernetes'
    const value = this.decode(node, inFlow)
    return value === null ? '<nil>' : goSyntax(value)
  }

  /** In Kubernetes' older parser, a merged mapping overrides the keys before it. */
  private merge(target: JsonObject, source: YamlNode): void {
    for (const [name, value] of this.mergedEntries(source)) setKey(target, name, value)
  }

  /** kyaml takes only missing keys from merged mappings, and ignores the rest. Only string keys are compared. */
  private mergeMissing(owner: YamlNode, target: JsonObject, source: YamlNode): void {
    const { taken } = this
    this.taken ??= new Set(owner.content.filter((_, i) => i % 2 === 0).map(key => this.decode(key, true)))
    for (const [name, value] of this.mergedEntries(source)) setKey(target, name, value)
    this.taken = taken
  }

  /** Of several mappings, the first one wins. */
  private *mergedEntries(source: YamlNode): Iterable<[key: string, value: JsonValue]> {
    const parts = source.kind === 'seq' ? source.content : [source]
    for (const part of this.schema === 'kyaml' ? parts : parts.toReversed()) {
      if (targetOf(part).kind !== 'map') throw new YamlError('map merge requires map or sequence of maps as the value')
      const values = this.decode(part, false, true)
      yield* values instanceof Map ? values : Object.entries(values as JsonObject)
    }
  }

  private alias(node: YamlNode, top: boolean): JsonValue {
    const target = node.alias!
    if (this.open.has(target)) throw new YamlError(`anchor '${node.value}' value contains itself`)
    this.open.add(target)
    this.aliasDepth++
    const value = this.decode(target, this.anchoredInFlow.has(target), top)
    this.aliasDepth--
    this.open.delete(target)
    return value
  }
}
