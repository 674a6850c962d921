import type { Budget } from '../../foundations/budget/budget.ts'
import { Cursor } from './cursor.ts'
import { mapNode, seqNode, YamlNode } from './node.ts'
import { tagOf } from './node-properties.ts'
import { parseFlow } from './parse-flow.ts'
import { scanBlockScalar } from './scan-block-scalar.ts'
import { scanPlain } from './scan-plain.ts'
import { scanQuoted } from './scan-quoted.ts'
import { YamlError } from './yaml-error.ts'

/**
 * Fast path for documents in the form of most manifests: block mappings with plain keys, block lists, scalars, and brackets on one line.
 * Undefined for anything else, including errors: the Parser then reports them. Creates no tokens. Skips comments.
 */
export const parseBlocks = (text: string, budget?: Budget): YamlNode | undefined => {
  if (text.length > MAX_LENGTH || UNUSUAL.test(text)) return undefined
  const parser = new BlockParser(text)
  try {
    const root = parser.document()
    budget?.spend('nodes', parser.nodes)
    return root
  } catch (error) {
    if (error === UNLIKELY || error instanceof YamlError) return undefined
    throw error
  }
}

/** Maximum length in characters: nodes are charged only after all are created. */
const MAX_LENGTH = 4_000_000
/** Recursion stops long before the stack overflows. */
const MAX_DEPTH = 200
/** White space other than spaces and newlines. */
const UNUSUAL = /[\t\r\x85\u2028\u2029\ufeff]/
const UNLIKELY = Symbol('something that blocks are not made of')

const SPACE = 32
const LF = 10
const DASH = 45
const HASH = 35
const DOUBLE = 34
const SINGLE = 39

/** A key with its colon, followed by a value or the end of the line; excludes `<<` and keys that resolve to anything but strings. */
const KEY =
  /([A-Za-z_$/.][A-Za-z0-9_$/.-]{0,200}):(?=[ \n]|$)|"([^"\\\n]{1,200})":(?=[ \n]|$)|'([^'\n]{1,200})':(?=[ \n]|$)/y
const QUOTED = /"[^"\\\n]*"|'[^'\n]*'(?!')/y
/** What may follow a value on its line. */
const REST = / *(?:(?<= )#[^\n]*)?(?:\n|$)/y
/** Characters that can't start a plain scalar, or only if no space follows. */
const INDICATORS = ',?:-[]{}#&*!|>\'"%@`'

class BlockParser {
  nodes = 0
  private readonly text: string
  private cursor: Cursor | undefined
  /** The current line: its number from 0, where it starts, and the position of its first character other than a space. */
  private line = 0
  private start = 0
  private at = 0
  private depth = 0

  constructor(text: string) {
    this.text = text
  }

  /** Spaces before the line; -1 at the end of the text. */
  private get indent(): number {
    return this.at < this.text.length ? this.at - this.start : -1
  }

  document(): YamlNode {
    this.seek(0)
    if (this.text.startsWith('---\n', this.at) && this.start === this.at) this.nextLine(this.at)
    if (this.indent < 0) throw UNLIKELY
    const root = this.block(this.indent)
    if (this.indent < 0) return root
    throw UNLIKELY
  }

  /** Moves to the first line with content that starts at or after an index. */
  private seek(start: number): void {
    const { text } = this
    for (;;) {
      let at = start
      while (text.charCodeAt(at) === SPACE) at++
      const c = text.charCodeAt(at)
      if (c !== LF && c !== HASH) {
        this.start = start
        this.at = at
        return
      }
      const end = text.indexOf('\n', at)
      if (end < 0) {
        this.start = this.at = text.length
        return
      }
      start = end + 1
      this.line++
    }
  }

  /** Moves to the line after the one that contains an index. */
  private nextLine(within: number): void {
    const end = this.text.indexOf('\n', within)
    if (end < 0) this.start = this.at = this.text.length
    else {
      this.line++
      this.seek(end + 1)
    }
  }

  private isDash(at: number): boolean {
    if (this.text.charCodeAt(at) !== DASH) return false
    const next = this.text.charCodeAt(at + 1)
    return next === SPACE || next === LF || Number.isNaN(next)
  }

  /** Parses the mapping or list that begins on this line. */
  private block(column: number): YamlNode {
    return this.isDash(this.at) ? this.list(column) : this.mapping(column)
  }

  private list(column: number): YamlNode {
    const list = this.opened(seqNode())
    do list.content.push(this.item(column))
    while (this.indent === column && this.isDash(this.at))
    return this.closed(list, column)
  }

  private item(column: number): YamlNode {
    const { text, line } = this
    let at = this.at + 1
    while (text.charCodeAt(at) === SPACE) at++
    if (this.isEnd(at)) return this.below(at, column, line)
    // The content after the dash is a block of its own.
    if (this.isDash(at)) return this.blockAt(at)
    KEY.lastIndex = at
    return KEY.test(text) ? this.blockAt(at) : this.scalar(at, column)
  }

  private blockAt(at: number): YamlNode {
    this.at = at
    return this.block(at - this.start)
  }

  private mapping(column: number): YamlNode {
    const { text } = this
    const map = this.opened(mapNode())
    do {
      if (column === 0 && text.startsWith('...', this.at)) throw UNLIKELY
      KEY.lastIndex = this.at
      const match = KEY.exec(text)
      if (!match) throw UNLIKELY
      const [, plain, double, single] = match
      const key = plain ?? double ?? single!
      const style = plain !== undefined ? '' : double !== undefined ? 'double' : 'single'
      map.content.push(this.made(key, style, this.line), this.value(KEY.lastIndex, column))
    } while (this.indent === column)
    return this.closed(map, column)
  }

  /** Parses the value after the colon of a key. */
  private value(colon: number, column: number): YamlNode {
    const { text, line } = this
    let at = colon
    while (text.charCodeAt(at) === SPACE) at++
    if (!this.isEnd(at)) return this.scalar(at, column)
    this.nextLine(at)
    if (this.indent === column && this.isDash(this.at)) return this.list(column)
    return this.indent > column ? this.block(this.indent) : this.empty(line)
  }

  /** Parses an item whose dash is alone on its line. */
  private below(at: number, column: number, line: number): YamlNode {
    this.nextLine(at)
    return this.indent > column ? this.block(this.indent) : this.empty(line)
  }

  /** Whether only a comment remains on the line: the previous character is a space or the indicator. */
  private isEnd(at: number): boolean {
    const c = this.text.charCodeAt(at)
    return c === LF || Number.isNaN(c) || (c === HASH && this.text.charCodeAt(at - 1) === SPACE)
  }

  private scalar(at: number, column: number): YamlNode {
    const { text } = this
    const first = text.charCodeAt(at)
    if (first === DOUBLE || first === SINGLE) return this.quoted(at)
    if (first === 124 || first === 62) return this.blockScalar(at, column)
    if ('[{'.includes(text[at]!)) return this.flow(at)
    if (INDICATORS.includes(text[at]!)) {
      const next = text.charCodeAt(at + 1)
      if (first !== DASH || next === SPACE || next === LF || Number.isNaN(next)) throw UNLIKELY
    }
    return this.plain(at, column)
  }

  private quoted(at: number): YamlNode {
    const { text, line } = this
    const style = text.charCodeAt(at) === DOUBLE ? 'double' : 'single'
    QUOTED.lastIndex = at
    if (QUOTED.test(text)) {
      const end = QUOTED.lastIndex
      this.finishLine(end)
      return this.made(text.slice(at + 1, end - 1), style, line)
    }
    const cursor = this.cursorAt(at)
    const { value } = scanQuoted(cursor)
    this.line = cursor.line
    this.finishLine(cursor.pos)
    return this.made(value, style, line)
  }

  private blockScalar(at: number, column: number): YamlNode {
    const { line } = this
    const cursor = this.cursorAt(at)
    const { value, style } = scanBlockScalar(cursor, column, () => {})
    this.line = cursor.line
    // A header at the end of the text has no line below it.
    if (cursor.line === line) this.nextLine(at)
    else this.seek(cursor.lineStart)
    return this.made(value, style, line)
  }

  private flow(at: number): YamlNode {
    const found = parseFlow(this.text, at, this.line)
    if (!found) throw UNLIKELY
    this.nodes += found.nodes
    this.finishLine(found.end)
    return found.root
  }

  private plain(at: number, column: number): YamlNode {
    const { text, line } = this
    const newline = text.indexOf('\n', at)
    let end = newline < 0 ? text.length : newline
    const whole = text.slice(at, end)
    const comment = whole.indexOf(' #')
    if (comment >= 0) end = at + comment
    while (text.charCodeAt(end - 1) === SPACE) end--
    const value = comment < 0 && end === at + whole.length ? whole : text.slice(at, end)
    if (value.includes(': ') || value.endsWith(':')) throw UNLIKELY
    this.nextLine(at)
    if (this.indent <= column) return this.made(value, '', line)
    // It continues below.
    this.line = line
    const cursor = this.cursorAt(at)
    const { scalar, broke } = scanPlain(cursor, false, column + 1)
    this.line = cursor.line
    if (broke) this.seek(cursor.lineStart)
    else this.finishLine(cursor.pos)
    return this.made(scalar.value, '', line)
  }

  /** Moves to the next line; the rest of this one must be empty. */
  private finishLine(at: number): void {
    REST.lastIndex = at
    if (!REST.test(this.text)) throw UNLIKELY
    this.nextLine(at)
  }

  private cursorAt(at: number): Cursor {
    this.cursor ??= new Cursor(this.text)
    this.cursor.pos = at
    this.cursor.line = this.line
    this.cursor.lineStart = this.text.lastIndexOf('\n', at - 1) + 1
    return this.cursor
  }

  private made(value: string, style: YamlNode['style'], line: number): YamlNode {
    const node = new YamlNode('scalar', tagOf({ value, style }), value, style)
    if (node.tag === '!!merge') throw UNLIKELY
    node.line = line + 1
    this.nodes++
    return node
  }

  private empty(line: number): YamlNode {
    const node = new YamlNode('scalar', '!!null', '')
    node.line = line + 1
    this.nodes++
    return node
  }

  private opened(node: YamlNode): YamlNode {
    if (++this.depth > MAX_DEPTH) throw UNLIKELY
    node.line = this.line + 1
    this.nodes++
    return node
  }

  /** Fails on a line that is indented more than the block that ends here: it belongs to nothing. */
  private closed(node: YamlNode, column: number): YamlNode {
    if (this.indent > column) throw UNLIKELY
    this.depth--
    return node
  }
}
