import { cloneNode, cloneShared, type YamlNode } from '../yaml/node.ts'
import { idKey, type ResourceId } from './resource-id.ts'

/** An identity of the resource before a transformer changed it. */
export interface PreviousId {
  readonly name: string
  readonly namespace: string
  readonly kind: string
}

export type GeneratorBehavior = 'create' | 'merge' | 'replace' | ''

/** The state that a build keeps of an object besides the object itself. */
export interface History {
  readonly previous: readonly PreviousId[]
  readonly prefixes: readonly string[]
  readonly suffixes: readonly string[]
  /** Names of vars that take their value from this resource. */
  readonly varNames: readonly string[]
  readonly behavior: GeneratorBehavior
  readonly needsHash: boolean
  /** Rendered from a Helm chart, which chose its namespace. */
  readonly fromHelm: boolean
}

export const NO_HISTORY: History = {
  previous: [],
  prefixes: [],
  suffixes: [],
  varNames: [],
  behavior: '',
  needsHash: false,
  fromHelm: false,
}

/** Derives a value from an object without modifying it. */
export type Derivation<Value> = (node: YamlNode) => Value

/**
 * A snapshot of an object and its history at one point of a build. It is immutable, so that later builds can start from it, and values
 * derived from it stay valid.
 */
export class ObjectSnapshot {
  readonly id: ResourceId
  readonly apiVersion: string
  readonly history: History
  /** Nodes that nobody modifies; undefined until someone needs them kept: otherwise the object is created again. */
  private kept: YamlNode | undefined
  private isShared: boolean | undefined
  private derived: Map<Derivation<unknown>, unknown> | undefined
  private keyOfId: string | undefined
  private identityText: string | undefined

  constructor(id: ResourceId, apiVersion: string, history: History) {
    this.id = id
    this.apiVersion = apiVersion
    this.history = history
  }

  /** Equal for resources that kustomize considers the same. */
  get key(): string {
    this.keyOfId ??= idKey(this.id)
    return this.keyOfId
  }

  /** Equal for objects with the same current and previous ids and affixes. */
  get identity(): string {
    this.identityText ??= identityOf(this.id, this.history)
    return this.identityText
  }

  /** The object, read-only. */
  get node(): YamlNode | undefined {
    return this.kept
  }

  keep(node: YamlNode): void {
    this.kept ??= node
  }

  /** A modifiable copy; undefined if the object isn't kept. Preserves nodes that are shared between several places. */
  copy(): YamlNode | undefined {
    const { kept } = this
    if (!kept) return undefined
    this.isShared ??= hasSharedNodes(kept)
    return this.isShared ? cloneShared(kept, new Map()) : cloneNode(kept)
  }

  /** The derived value, computed on the first call from the object that `readNode` returns. */
  derive<Value>(derivation: Derivation<Value>, readNode: () => YamlNode): Value {
    this.derived ??= new Map()
    if (!this.derived.has(derivation)) this.derived.set(derivation, derivation(readNode()))
    return this.derived.get(derivation) as Value
  }
}

/**
 * All by which other resources may find this one: its id, former ids, and the prefixes and suffixes that it was given.
 * Equal texts are interchangeable for name references.
 */
export const identityOf = (id: ResourceId, { previous, prefixes, suffixes }: History): string =>
  JSON.stringify([id, previous, prefixes, suffixes])

/** Whether nodes are shared between several places: modifying one modifies all. */
const hasSharedNodes = (root: YamlNode): boolean => {
  const seen = new Set<YamlNode>()
  const meets = (node: YamlNode): boolean => {
    // An alias may refer to a node that contains it.
    if (node.alias || seen.has(node)) return true
    seen.add(node)
    return node.content.some(meets)
  }
  return meets(root)
}
