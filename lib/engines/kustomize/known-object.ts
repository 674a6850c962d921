import { cloneNode, cloneShared, type YamlNode } from '../yaml/node.ts'
import { idKey, type ResourceId } from './resource-id.ts'

/** An identity the resource had before a transformer changed it. */
export interface PreviousId {
  readonly name: string
  readonly namespace: string
  readonly kind: string
}

export type GeneratorBehavior = 'create' | 'merge' | 'replace' | ''

/** What a build must remember of an object beside the object itself. */
export interface History {
  readonly previous: readonly PreviousId[]
  readonly prefixes: readonly string[]
  readonly suffixes: readonly string[]
  /** Names of vars that take their value from this resource. */
  readonly varNames: readonly string[]
  readonly behavior: GeneratorBehavior
  readonly needsHash: boolean
  /** Rendered by a helm chart: its namespace was chosen there. */
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

/** Reads something off an object, and changes nothing. */
export type Question<Answer> = (node: YamlNode) => Answer

/**
 * An object, with its history, as it was at one point of a build. It never changes, so that builds to come can take up from
 * it, and what was once found out about it stays true.
 */
export class KnownObject {
  readonly id: ResourceId
  readonly apiVersion: string
  readonly history: History
  /** Whose nodes nobody changes; undefined while nobody had to keep them: whoever wants them makes the object again. */
  private kept: YamlNode | undefined
  private isShared: boolean | undefined
  private answers: Map<Question<unknown>, unknown> | undefined
  private keyOfId: string | undefined
  private identityText: string | undefined

  constructor(id: ResourceId, apiVersion: string, history: History) {
    this.id = id
    this.apiVersion = apiVersion
    this.history = history
  }

  /** Equal for resources that kustomize takes for the same. */
  get key(): string {
    this.keyOfId ??= idKey(this.id)
    return this.keyOfId
  }

  /** Equal for objects of the same ids and affixes, now and before. */
  get identity(): string {
    this.identityText ??= identityOf(this.id, this.history)
    return this.identityText
  }

  /** The object, for looking at only. */
  get node(): YamlNode | undefined {
    return this.kept
  }

  keep(node: YamlNode): void {
    this.kept ??= node
  }

  /** The object, for changing; undefined when it isn't kept. Nodes that stand in several places do so in the copy. */
  copy(): YamlNode | undefined {
    const { kept } = this
    if (!kept) return undefined
    this.isShared ??= hasSharedNodes(kept)
    return this.isShared ? cloneShared(kept, new Map()) : cloneNode(kept)
  }

  /** What a question comes to; `look` gives the object if it was never asked before. */
  answer<Answer>(question: Question<Answer>, look: () => YamlNode): Answer {
    this.answers ??= new Map()
    if (!this.answers.has(question)) this.answers.set(question, question(look()))
    return this.answers.get(question) as Answer
  }
}

export const identityOf = (id: ResourceId, { previous, prefixes, suffixes }: History): string =>
  JSON.stringify([id, previous, prefixes, suffixes])

/** Whether a node stands in several places: changing it at one changes it at all. */
const hasSharedNodes = (root: YamlNode): boolean => {
  const seen = new Set<YamlNode>()
  const meets = (node: YamlNode): boolean => {
    // An alias may point at what it stands in.
    if (node.alias || seen.has(node)) return true
    seen.add(node)
    return node.content.some(meets)
  }
  return meets(root)
}
