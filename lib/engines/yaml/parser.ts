import type { Budget } from '../../foundations/budget/budget.ts'
import { type CommentQueue, noComments } from './comment-queue.ts'
import { type CommentSink, noSink } from './comment-sink.ts'
import { mapNode, seqNode, YamlNode } from './node.ts'
import { applyTag, emptyScalar, parserFault, STANDARD_PREFIX, tagOf } from './node-properties.ts'
import { Scanner } from './scanner.ts'
import type { Mark, Token, TokenType } from './token.ts'
import { YamlError } from './yaml-error.ts'

/** A document of a stream: its root, and the comments that belong to no node. */
export interface ParsedDocument {
  readonly root: YamlNode
  readonly foot: string
  readonly head: string
}

/** Tokens that may follow a document without content. */
const AFTER_DOCUMENT: ReadonlySet<TokenType> = new Set([
  'version-directive',
  'tag-directive',
  'document-start',
  'document-end',
  'stream-end',
])

/** Tokens that start no node: they are errors outside of brackets. */
const BEGINS_NOTHING: ReadonlySet<TokenType> = new Set(['flow-seq-end', 'flow-map-end', 'flow-entry'])

export interface ParserOptions {
  readonly comments?: CommentQueue
  readonly sink?: CommentSink
  /** Pays for every node. */
  readonly budget?: Budget | undefined
  /** Called with each scalar, and where it starts, after its tag and anchor. */
  readonly onScalar?: ((node: YamlNode, start: Mark) => void) | undefined
  /** go-yaml v3 reads two tokens ahead, for its comments; v2, which doesn't, meets other errors first. */
  readonly goYaml?: 2 | 3
}

/** Parses YAML text into node trees, one per document, with go-yaml's errors. */
export class Parser {
  private readonly scanner: Scanner
  private readonly sink: CommentSink
  private readonly budget: Budget | undefined
  private readonly onScalar: ParserOptions['onScalar']
  /** Of all documents: go-yaml keeps anchors across documents. */
  private readonly anchors = new Map<string, YamlNode>()
  /** Anchor of the next node. */
  private anchor: string | undefined
  private handles = new Map<string, string>()
  private first = true

  constructor(
    text: string,
    { comments = noComments, sink = noSink, budget, onScalar, goYaml = 3 }: ParserOptions = {},
  ) {
    this.scanner = new Scanner(text, comments, goYaml === 2 ? 0 : 2)
    this.sink = sink
    this.budget = budget
    this.onScalar = onScalar
  }

  /** Parses the next document; undefined at the end of the text. */
  next(): ParsedDocument | undefined {
    const first = this.first
    this.first = false
    if (!first) while (this.at('document-end')) this.scanner.take()
    if (this.at('stream-end')) return undefined
    this.handles = new Map([
      ['!', '!'],
      ['!!', STANDARD_PREFIX],
    ])
    const explicit = this.documentStart(first)
    const head = explicit ? '' : this.sink.documentHead()
    const next = this.scanner.peek()
    const root = explicit && AFTER_DOCUMENT.has(next.type) ? this.empty(next.start) : this.node()
    // Comments arrive with the token after them: those up to here belong to this document.
    this.scanner.peek()
    return { root, head, foot: this.sink.documentFoot() }
  }

  private at(type: TokenType): boolean {
    return this.scanner.peek().type === type
  }

  /** Whether there was a `---`, which only the first document may omit. */
  private documentStart(first: boolean): boolean {
    const directives = this.directives()
    const { type, start } = this.scanner.peek()
    if (type === 'document-start') this.scanner.take()
    else if (directives || !first) throw parserFault('did not find expected <document start>', start)
    return type === 'document-start'
  }

  private directives(): boolean {
    const tags = new Set<string>()
    let version = false
    for (;;) {
      const next = this.scanner.peek()
      if (next.type === 'version-directive') {
        if (version) throw parserFault('found duplicate %YAML directive', next.start)
        if (next.value !== '1.1') throw parserFault('found incompatible YAML document', next.start)
        version = true
      } else if (next.type === 'tag-directive') {
        if (tags.has(next.value)) throw parserFault('found duplicate %TAG directive', next.start)
        tags.add(next.value)
        this.handles.set(next.value, next.suffix)
      } else return version || tags.size > 0
      this.scanner.take()
    }
  }

  /** A list that is part of a pair may be indented like the pair. */
  private node(isPartOfPair = false): YamlNode {
    const { scanner } = this
    let next = scanner.peek()
    if (next.type === 'alias') return this.aliasNode(next)
    const start = next.start
    let anchor: string | undefined
    let tagToken: Token | undefined
    while (next.type === 'anchor' || next.type === 'tag') {
      if (next.type === 'anchor') {
        if (anchor !== undefined) break
        anchor = next.value
      } else {
        if (tagToken) break
        tagToken = next
      }
      scanner.take()
      next = scanner.peek()
    }
    const tag = tagToken ? this.fullTag(tagToken, start) : ''
    this.anchor = anchor
    const node = this.content(next, start, tag, isPartOfPair)
    if (node) return node
    if (anchor === undefined && tag === '') throw parserFault('did not find expected node content', start, next.start)
    return this.begin(emptyScalar(start), start, tag)
  }

  private content(next: Token, start: Mark, tag: string, isPartOfPair: boolean): YamlNode | undefined {
    switch (next.type) {
      case 'block-entry':
        return isPartOfPair ? this.sequence(start, tag, 'indentless') : undefined
      case 'scalar':
        return this.scalar(next, start, tag)
      case 'flow-seq-start':
        return this.flowSequence(start, tag)
      case 'flow-map-start':
        return this.flowMapping(start, tag)
      case 'block-seq-start':
        return this.sequence(start, tag, 'indented')
      case 'block-map-start':
        return this.mapping(start, tag)
    }
    return undefined
  }

  /** Sets a node's position and properties; its anchor is known from here on, so also within the node. */
  private begin(node: YamlNode, start: Mark, tag: string): YamlNode {
    this.budget?.spend('nodes', 1)
    node.line = start.line + 1
    applyTag(node, tag)
    if (this.anchor !== undefined) {
      node.anchor = this.anchor
      this.anchors.set(this.anchor, node)
      this.anchor = undefined
    }
    return node
  }

  private empty(start: Mark): YamlNode {
    this.budget?.spend('nodes', 1)
    return emptyScalar(start)
  }

  private aliasNode(next: Token): YamlNode {
    this.budget?.spend('nodes', 1)
    const node = new YamlNode('alias', '', next.value)
    node.line = next.start.line + 1
    node.alias = this.anchors.get(next.value)
    if (!node.alias) throw new YamlError(`unknown anchor '${next.value}' referenced`)
    this.sink.attach(node)
    this.scanner.take()
    return node
  }

  private scalar(next: Token, start: Mark, tag: string): YamlNode {
    const node = this.begin(new YamlNode('scalar', tagOf(next), next.value, next.style), start, tag)
    this.onScalar?.(node, next.start)
    this.sink.attach(node)
    this.scanner.take()
    return node
  }

  private fullTag(next: Token, start: Mark): string {
    if (next.value === '') return next.suffix
    const prefix = this.handles.get(next.value)
    if (prefix === undefined) throw parserFault('found undefined tag handle', start, next.start)
    return prefix + next.suffix
  }

  private sequence(start: Mark, tag: string, kind: 'indented' | 'indentless'): YamlNode {
    const { scanner } = this
    const opening = scanner.peek().start
    const node = this.begin(seqNode(), start, tag)
    this.sink.attachStem(node)
    if (kind === 'indented') scanner.take()
    for (;;) {
      const next = scanner.peek()
      if (next.type === 'block-entry') {
        const headLength = this.sink.headLength()
        scanner.take()
        if (headLength > 0) this.splitStem(headLength)
        const item = scanner.peek().type
        const empty =
          item === 'block-entry' ||
          item === 'block-end' ||
          (kind === 'indentless' && (item === 'key' || item === 'value'))
        node.content.push(empty ? this.empty(next.start) : this.node())
      } else if (kind === 'indentless') {
        return node
      } else if (next.type === 'block-end') {
        scanner.take()
        return node
      } else throw parserFault("did not find expected '-' indicator", opening, next.start)
    }
  }

  /** go-yaml looks ahead here, and ignores errors further on if no node starts. */
  private splitStem(headLength: number): void {
    try {
      this.sink.splitStem(headLength, this.scanner.peek())
    } catch (fault) {
      if (!BEGINS_NOTHING.has(this.scanner.peek().type)) throw fault
    }
  }

  private mapping(start: Mark, tag: string): YamlNode {
    const { scanner } = this
    const node = this.begin(mapNode(), start, tag)
    this.sink.attachStem(node)
    const opening = scanner.take().start
    for (;;) {
      const next = scanner.peek()
      if (next.type === 'block-end') {
        this.sink.attachEnd(node)
        scanner.take()
        return node
      }
      if (next.type !== 'key') throw parserFault('did not find expected key', opening, next.start)
      scanner.take()
      const key = this.blockPart(next.start)
      const value = this.at('value') ? this.blockPart(scanner.take().start) : this.empty(scanner.peek().start)
      node.content.push(key, value)
      this.sink.settlePair(node)
    }
  }

  /** The node after a key or value indicator of a block mapping; empty if another indicator follows. */
  private blockPart(start: Mark): YamlNode {
    const { type } = this.scanner.peek()
    return type === 'key' || type === 'value' || type === 'block-end' ? this.empty(start) : this.node(true)
  }

  private flowSequence(start: Mark, tag: string): YamlNode {
    const { scanner } = this
    const opening = scanner.peek().start
    const node = this.flowNode(seqNode(), start, tag)
    for (let first = true; !this.at('flow-seq-end'); first = false) {
      if (!first) this.flowSeparator(opening, ']')
      const next = scanner.peek()
      if (next.type === 'key') {
        scanner.take()
        const pair = mapNode([this.pairKey(), this.flowValue('flow-seq-end')])
        pair.style = 'flow'
        pair.line = next.start.line + 1
        this.sink.settlePair(pair)
        node.content.push(pair)
      } else if (next.type !== 'flow-seq-end') node.content.push(this.node())
    }
    this.sink.attachEnd(node)
    scanner.take()
    return node
  }

  private flowMapping(start: Mark, tag: string): YamlNode {
    const { scanner } = this
    const opening = scanner.peek().start
    const node = this.flowNode(mapNode(), start, tag)
    for (let first = true; !this.at('flow-map-end'); first = false) {
      if (!first) this.flowSeparator(opening, '}')
      const next = scanner.peek()
      if (next.type === 'key') {
        scanner.take()
        node.content.push(this.at('value') ? this.empty(next.start) : this.flowPart('flow-map-end'))
        node.content.push(this.flowValue('flow-map-end'))
      } else if (next.type !== 'flow-map-end') {
        node.content.push(this.node())
        node.content.push(this.empty(scanner.peek().start))
      }
      this.sink.settlePair(node)
    }
    this.sink.attachEnd(node)
    scanner.take()
    return node
  }

  private flowNode(node: YamlNode, start: Mark, tag: string): YamlNode {
    node.style = 'flow'
    this.sink.attach(this.begin(node, start, tag))
    this.scanner.take()
    return node
  }

  private flowSeparator(opening: Mark, end: string): void {
    if (!this.at('flow-entry'))
      throw parserFault(`did not find expected ',' or '${end}'`, opening, this.scanner.peek().start)
    this.scanner.take()
  }

  /** The key of a pair in a list; libyaml skips whatever replaces a missing one. */
  private pairKey(): YamlNode {
    const { type, start } = this.scanner.peek()
    if (type !== 'value' && type !== 'flow-entry' && type !== 'flow-seq-end') return this.node()
    this.scanner.take()
    return this.empty(start)
  }

  private flowValue(end: TokenType): YamlNode {
    if (!this.at('value')) return this.empty(this.scanner.peek().start)
    this.scanner.take()
    return this.flowPart(end)
  }

  private flowPart(end: TokenType): YamlNode {
    const { type, start } = this.scanner.peek()
    return type === 'flow-entry' || type === end ? this.empty(start) : this.node()
  }
}
