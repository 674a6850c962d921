import { LineWriter } from './line-writer.ts'
import type { NodeStyle, YamlNode } from './node.ts'
import { writeScalar } from './write-scalar.ts'
import { isSimpleKey, needsQuotes, tagToWrite, writtenTag } from './written-form.ts'

export interface EmitOptions {
  /** Comments of the document itself, before and after its root. */
  readonly head?: string
  readonly foot?: string
  /** Spaces per nesting level; 2 if absent. */
  readonly level?: number
  /** Indent lists within mappings like mappings, rather than at the level of their key. */
  readonly indentLists?: boolean
}

/**
 * Writes a tree as kyaml does: two spaces, compact lists, original styles and comments. With four spaces and indented lists, it matches
 * go-yaml v3's default.
 */
export const emitNode = (
  root: YamlNode,
  { head = '', foot = '', level = 2, indentLists = false }: EmitOptions = {},
): string => new NodeWriter(level, indentLists).document(root, head, foot)

class NodeWriter extends LineWriter {
  private readonly level: number
  private readonly indentLists: boolean
  private flowLevel = 0
  private inBlockItem = false

  private keyLine = ''

  constructor(level: number, indentLists: boolean) {
    super()
    this.level = level
    this.indentLists = indentLists
  }

  document(root: YamlNode, head: string, foot: string): string {
    if (head !== '') {
      this.head = head
      this.writeHead()
      this.break()
    }
    this.begin(root)
    this.writeHead()
    this.entry(root)
    if (foot !== '') this.foot = foot
    this.footIndent = 0
    this.writeFoot()
    this.footIndent = -1
    this.startLine()
    return this.text
  }

  /** Takes over the comments at the start of a node. */
  private begin(node: YamlNode): void {
    const { comments } = node
    if (!comments) return
    if (comments.head !== '') this.head = comments.head
    if (isCollection(node)) return
    if (comments.line !== '') this.line = comments.line
    this.foot = comments.foot
  }

  private end(node: YamlNode): void {
    if (node.comments?.line) this.line = node.comments.line
    if (node.comments?.foot) this.foot = node.comments.foot
  }

  /** Writes a node with the comments after it. Those at the end of a block wait for what comes next. */
  private entry(node: YamlNode): void {
    this.node(node)
    if (!isCollection(node)) this.trail()
  }

  private node(node: YamlNode, isKey = false) {
    if (node.kind === 'alias') return this.indicator(`*${node.value}`, true)
    const tag = tagToWrite(node)
    if (node.anchor !== undefined) this.indicator(`&${node.anchor}`, true)
    if (tag !== '') this.indicator(writtenTag(tag), true)
    if (node.kind === 'scalar') return this.scalar(node, isKey)
    this.trail()
    const flow = this.flowLevel > 0 || node.style === 'flow' || node.content.length === 0
    if (node.kind === 'seq') return flow ? this.flowItems(node) : this.blockItems(node)
    return flow ? this.flowFields(node) : this.blockFields(node)
  }

  private scalar(node: YamlNode, isKey: boolean): void {
    const { value } = node
    let style: NodeStyle = node.style === 'flow' ? '' : node.style
    if (style === '') style = value.includes('\n') ? 'literal' : needsQuotes(node) ? 'double' : ''
    const indent = this.innerIndent()
    const gap = this.whitespace ? 0 : 1
    const text = writeScalar(value, style, {
      emitter: 'v3',
      column: 0,
      indent,
      width: Number.POSITIVE_INFINITY,
      inFlow: this.flowLevel > 0,
      isKey,
      headerComment: this.line,
      level: this.level,
    })
    const isBlock = text.startsWith('|') || text.startsWith('>')
    this.indention = isBlock
    if (text === '') return
    if (gap === 1) this.put(' ')
    this.put(text)
    this.whitespace = isBlock
    if (isBlock) {
      this.line = ''
      this.column = 0
    }
  }

  private blockItems(node: YamlNode): void {
    const outer = this.indent
    const outerItem = this.inBlockItem
    const compact = !this.indentLists && (this.column === 0 || !this.indention)
    this.increaseIndent(compact)
    for (const item of node.content) {
      this.begin(item)
      this.writeHead()
      this.startLine()
      this.indicator('-', false, true)
      this.inBlockItem = true
      this.entry(item)
    }
    this.end(node)
    this.indent = outer
    this.inBlockItem = outerItem
  }

  private blockFields(node: YamlNode): void {
    const outer = this.indent
    const outerItem = this.inBlockItem
    this.increaseIndent(false)
    this.inBlockItem = false
    let tail = ''
    for (let i = 0; i < node.content.length; i += 2) {
      const key = node.content[i]!
      const foot = key.comments?.foot ?? ''
      this.beginKey(key)
      this.writeHead(takesFoot(key) ? tail : '')
      tail = foot
      this.startLine()
      if (this.line !== '') {
        this.keyLine = this.line
        this.line = ''
      }
      const simple = isSimpleKey(key)
      if (!simple) this.indicator('?', false, true)
      this.node(withoutFoot(key), simple)
      this.blockValue(node.content[i + 1]!, simple)
    }
    this.end(node)
    this.writeHead(tail)
    this.indent = outer
    this.inBlockItem = outerItem
  }

  /** A key's foot comment goes after its value: it is written before the next key. */
  private beginKey(key: YamlNode): void {
    if (key.comments?.head) this.head = key.comments.head
    if (key.comments?.line && !isCollection(key)) this.line = key.comments.line
  }

  private blockValue(value: YamlNode, simple: boolean): void {
    this.begin(value)
    if (!simple) this.startLine()
    this.indicator(':', !simple, !simple)
    if (value.kind === 'scalar') {
      if (this.line === '') {
        this.line = this.keyLine
        this.keyLine = ''
      }
    } else if (value.kind !== 'alias' && value.style !== 'flow') {
      ;[this.line, this.keyLine] = [this.keyLine, this.line]
      this.writeLine()
      ;[this.line, this.keyLine] = [this.keyLine, this.line]
    }
    this.entry(value)
  }

  private flowItems(node: YamlNode): void {
    const close = this.openFlow('[')
    let trailed = true
    for (const item of node.content) {
      if (!trailed) this.indicator(',', false)
      this.begin(item)
      this.writeHead()
      if (this.column === 0) this.startLine()
      trailed = this.hasTrail()
      this.node(item)
      this.trail()
    }
    close()
    this.end(node)
    if (this.column === 0) this.startLine()
    this.indicator(']', false)
    this.writeLine()
    this.writeFoot()
  }

  private flowFields(node: YamlNode): void {
    const close = this.openFlow('{')
    let trailed = true
    let tail = ''
    for (let i = 0; i < node.content.length; i += 2) {
      const key = node.content[i]!
      const value = node.content[i + 1]!
      if (!trailed) this.indicator(',', false)
      this.beginKey(key)
      this.writeHead(takesFoot(key) ? tail : '')
      tail = key.comments?.foot ?? ''
      if (this.column === 0) this.startLine()
      const simple = isSimpleKey(key)
      if (!simple) this.indicator('?', true)
      this.node(withoutFoot(key))
      this.begin(value)
      this.indicator(':', !simple)
      trailed = this.hasTrail()
      this.node(value)
      this.trail()
    }
    this.end(node)
    if (!trailed && this.head + this.foot + tail !== '') this.indicator(',', false)
    this.writeHead(tail)
    close()
    this.indicator('}', false)
    this.writeLine()
    this.writeFoot()
  }

  /** Returns the function that closes it. */
  private openFlow(bracket: string): () => void {
    this.put(this.whitespace ? bracket : ` ${bracket}`)
    this.whitespace = true
    this.indention = false
    const { indent, inBlockItem } = this
    this.indent = this.innerIndent()
    this.inBlockItem = false
    this.flowLevel++
    return () => {
      this.flowLevel--
      Object.assign(this, { indent, inBlockItem })
    }
  }

  /** Indentation of the content of a flow collection, or of a scalar's further lines. */
  private innerIndent(): number {
    if (this.indent < 0) return this.level
    return this.inBlockItem ? this.indent + 2 : this.roundUp(this.indent)
  }

  /** Writes the comments that wait for the end of a value, or for the opening bracket: within a flow collection, after a comma. */
  private trail(): void {
    if (this.flowLevel > 0 && this.hasTrail()) this.indicator(',', false)
    this.writeLine()
    this.writeFoot()
  }

  private hasTrail(): boolean {
    return this.line !== '' || this.foot !== ''
  }

  private increaseIndent(compact: boolean): void {
    if (this.indent < 0) this.indent = 0
    else if (this.inBlockItem) this.indent += 2
    else this.indent = this.roundUp(this.indent) - (compact ? 2 : 0)
  }

  private roundUp(indent: number): number {
    return this.level * Math.floor((indent + this.level) / this.level)
  }
}

const isCollection = ({ kind }: YamlNode): boolean => kind === 'map' || kind === 'seq'

/** A foot comment is written above the next key, but go-yaml drops it above a list or an alias. */
const takesFoot = ({ kind }: YamlNode): boolean => kind === 'scalar' || kind === 'map'

const withoutFoot = (key: YamlNode): YamlNode =>
  key.comments ? { ...key, comments: { ...key.comments, foot: '' } } : key
