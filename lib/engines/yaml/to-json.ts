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
 * Aliases may not blow a document up: go-yaml bounds their part of the decoded nodes, in large documents more. Its other bounds, a hundred
 * aliased nodes and a thousand in all, say nothing: fewer nodes cannot be 99 % aliased.
 */
const RATIO_FROM = 400_000
const RATIO_TO = 4_000_000
/** More than a text nests by itself, with a thousand levels of blocks and as many of brackets: aliases lead deeper. */
const MAX_DEPTH = 2100

export interface ToJsonOptions {
  readonly schema: YamlSchema
  /** Of a key that stands twice in a mapping the last one counts; otherwise it is refused. */
  readonly lastKeyWins?: boolean
}

/** Turns a document tree into data. Throws a YamlError for what JSON can't hold. */
export const toJson = (root: YamlNode, options: ToJsonOptions): JsonValue => decodeNode(root, options).value

/** The same, and whether the data may be others once kyaml has written the tree and read that. */
export const decodeNode = (root: YamlNode, options: ToJsonOptions): { value: JsonValue; mayChange: boolean } => {
  const decoder = new Decoder(options)
  const value = decoder.decode(root, false, true)
  if (decoder.problems.length > 0) throw new YamlError(['unmarshal errors:', ...decoder.problems].join('\n  '))
  if (decoder.refused !== undefined) throw new UnsupportedData(decoder.refused)
  const fault = decoder.unsupported ? firstUnsupported(value) : undefined
  if (fault !== undefined) throw new UnsupportedData(`json: unsupported ${fault}`, value)
  return { value, mayChange: decoder.mayChange }
}

/** What Go's JSON complains about: it writes fields in the order of their names. */
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
  /** Keys and the document count, too. */
  private decoded = 1
  private aliased = 0
  private aliasDepth = 0
  private depth = 0
  /** What a mapping into which others are merged has already, which are passed over there. */
  private taken: Set<JsonValue> | undefined
  private readonly open = new Set<YamlNode>()
  /** Whether what is decoded goes into a message of Kubernetes' older parser, whose maps have keys of any type. */
  private isShown = false
  /** What aliases may point to within flow collections. */
  private readonly anchoredInFlow = new Set<YamlNode>()
  /** The last key that JSON has no name for. Kubernetes' older parser asks for names when all is read: then only for faults. */
  refused: string | undefined
  /** An infinity or NaN was met, or below the top a mapping that has keys other than strings. */
  unsupported = false
  /** A text was met that go-yaml may not write so that it reads the same. */
  mayChange = false
  /** Of single keys: go-yaml reads on, and names them together. */
  readonly problems: string[] = []

  constructor({ schema, lastKeyWins = false }: ToJsonOptions) {
    this.schema = schema
    this.lastKeyWins = lastKeyWins
  }

  decode(node: YamlNode, inFlow: boolean, top = false): JsonValue {
    this.count()
    if (inFlow && node.anchor !== undefined) this.anchoredInFlow.add(node)
    if (++this.depth > MAX_DEPTH) throw new YamlError(`exceeded max depth of ${MAX_DEPTH}`)
    // Here, not in a function of its own: levels are many, and the stack is small.
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
    // Written inside a flow collection an empty text gets quotes, so kyaml reads it back as a string.
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
    // Without a function for each item, for the same reason.
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

  /** Only ever shown in a message: Go's map of anything. */
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

  /** Undefined for a null at the top of a document, which kyaml passes over, and for what is refused in the end. */
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

  /** As Go's `%#v` shows it. */
  private shown(node: YamlNode, inFlow: boolean): string {
    this.isShown = this.schema === 'kubernetes'
    const value = this.decode(node, inFlow)
    return value === null ? '<nil>' : goSyntax(value)
  }

  /** With Kubernetes' older parser what is merged wins over what stands before it. */
  private merge(target: JsonObject, source: YamlNode): void {
    for (const [name, value] of this.mergedEntries(source)) setKey(target, name, value)
  }

  /** Kyaml takes of merged mappings what is missing, and does not look at the rest. Only keys that are texts are held against theirs. */
  private mergeMissing(owner: YamlNode, target: JsonObject, source: YamlNode): void {
    const { taken } = this
    this.taken ??= new Set(owner.content.filter((_, i) => i % 2 === 0).map(key => this.decode(key, true)))
    for (const [name, value] of this.mergedEntries(source)) setKey(target, name, value)
    this.taken = taken
  }

  /** Of several maps the first one wins. */
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
