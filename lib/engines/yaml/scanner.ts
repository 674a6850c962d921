import { isBlankOrEnd, isBreak, isBreakOrEnd, SPACE, TAB } from './characters.ts'
import { type CommentQueue, noComments } from './comment-queue.ts'
import { Cursor } from './cursor.ts'
import { scanAnchor } from './scan-anchor.ts'
import { scanBlockScalar } from './scan-block-scalar.ts'
import { scanDirective } from './scan-directive.ts'
import { mayStartPlain, scanPlain } from './scan-plain.ts'
import { scanQuoted } from './scan-quoted.ts'
import { scanTag } from './scan-tag.ts'
import { SimpleKeys } from './simple-keys.ts'
import { type Mark, type Token, type TokenType, token } from './token.ts'

/** Deeper nesting is refused, so that later traversals of the tree can recurse. */
const MAX_DEPTH = 1000

/**
 * Turns text into tokens, as libyaml does: indentation becomes start and end tokens, and a `key` token is inserted before a simple key once
 * its `:` is found. Scanning runs slightly ahead of parsing, so errors come in go-yaml's order.
 */
export class Scanner {
  private readonly cursor: Cursor
  private readonly comments: CommentQueue
  private readonly keys: SimpleKeys
  private readonly lookahead: number
  private tokens: Token[] = []
  /** The number of tokens taken, and of all tokens produced. */
  private taken = 0
  private indent = -1
  private readonly indents: number[] = []
  private flowLevel = 0
  private simpleKeyAllowed = true
  /** Whether it is settled what the next token is. */
  private isSettled = false

  /** `lookahead` is how many tokens are read beyond the next one before that is given out. */
  constructor(text: string, comments: CommentQueue = noComments, lookahead = 2) {
    this.cursor = new Cursor(text)
    this.comments = comments
    this.lookahead = lookahead
    this.keys = new SimpleKeys(this.cursor)
  }

  peek(): Token {
    if (!this.isSettled) {
      while (this.tokens.length <= this.lookahead || this.keys.mayBegin(this.taken)) this.fetch()
      this.comments.release(this.tokens[0]!)
      this.isSettled = true
    }
    return this.tokens[0]!
  }

  take(): Token {
    const head = this.peek()
    this.tokens.shift()
    this.taken++
    this.isSettled = false
    return head
  }

  /** Inserts a token before another, or at the end if that one was taken. */
  private insert(before: number, inserted: Token): void {
    const at = before - this.taken
    this.tokens.splice(at < 0 ? this.tokens.length : at, 0, inserted)
  }

  private push(type: TokenType, start: Mark): void {
    this.tokens.push(token(type, start))
  }

  private fetch() {
    const { cursor } = this
    const from = cursor.mark()
    this.skipToToken(from)
    this.unrollIndent(cursor.column, from)
    if (cursor.atEnd()) return this.fetchStreamEnd()
    const c = cursor.at()
    if (cursor.column === 0 && c === 37) return this.fetchDirective()
    if (cursor.atDocumentIndicator()) return this.fetchDocumentIndicator(c === 45 ? 'document-start' : 'document-end')

    const last = this.tokens.at(-1)
    const belongsToLast = last && (this.flowLevel === 0 ? c === 58 : c === 44)
    const mark = belongsToLast ? last.start : cursor.mark()
    this.fetchContent(c)
    if (this.tokens.at(-1)!.type !== 'block-entry') this.comments.scanLine(cursor, mark)
  }

  private fetchContent(c: number) {
    const { cursor } = this
    const blankAfter = isBlankOrEnd(cursor.at(1))
    const inFlow = this.flowLevel > 0
    switch (c) {
      case 91:
        return this.fetchFlowStart('flow-seq-start')
      case 123:
        return this.fetchFlowStart('flow-map-start')
      case 93:
        return this.fetchFlowEnd('flow-seq-end')
      case 125:
        return this.fetchFlowEnd('flow-map-end')
      case 44:
        return this.fetchFlowEntry()
      case 45:
        if (blankAfter) return this.fetchBlockEntry()
        break
      case 63:
        if (inFlow || blankAfter) return this.fetchKey()
        break
      case 58:
        if (inFlow || blankAfter) return this.fetchValue()
        break
      case 42:
        return this.fetchAnchor('alias')
      case 38:
        return this.fetchAnchor('anchor')
      case 33:
        return this.fetchSimple(() => scanTag(cursor))
      case 124:
      case 62:
        if (!inFlow) return this.fetchBlockScalar()
        break
      case 39:
      case 34:
        return this.fetchSimple(() => scanQuoted(cursor))
    }
    if (mayStartPlain(cursor)) return this.fetchPlain()
    throw cursor.fault('found character that cannot start any token')
  }

  private skipToToken(from: Mark): void {
    const { cursor } = this
    for (;;) {
      const tabsToo = this.flowLevel > 0 || !this.simpleKeyAllowed
      for (;;) {
        const c = cursor.at()
        if (c !== SPACE && !(tabsToo && c === TAB)) break
        cursor.pos++
      }
      if (cursor.at() === 35) {
        this.comments.scan(cursor, { from, tokens: this.tokens, indent: this.indent, inFlow: this.flowLevel > 0 })
        while (!isBreakOrEnd(cursor.at())) cursor.pos++
      }
      if (!isBreak(cursor.at())) return
      cursor.takeBreak()
      if (this.flowLevel === 0) this.simpleKeyAllowed = true
    }
  }

  private rollIndent(column: number, type: TokenType, mark: Mark, before?: number): void {
    if (this.flowLevel > 0 || this.indent >= column) return
    this.indents.push(this.indent)
    this.indent = column
    if (this.indents.length > MAX_DEPTH) throw this.cursor.fault(`exceeded max depth of ${MAX_DEPTH}`, mark)
    const start = token(type, mark)
    if (before === undefined) this.tokens.push(start)
    else this.insert(before, start)
  }

  private unrollIndent(column: number, from: Mark): void {
    if (this.flowLevel > 0) return
    let mark: Mark = { index: from.index - 1, line: from.line, column: from.column }
    while (this.indent > column) {
      mark = this.comments.blockEnd(mark, this.indent)
      this.push('block-end', mark)
      this.indent = this.indents.pop()!
    }
  }

  private saveSimpleKey(): void {
    if (!this.simpleKeyAllowed) return
    const required = this.flowLevel === 0 && this.indent === this.cursor.column
    this.keys.save(this.taken + this.tokens.length, required)
  }

  private fetchStreamEnd(): void {
    const { cursor } = this
    if (cursor.column !== 0) {
      cursor.line++
      cursor.lineStart = cursor.pos
    }
    this.unrollIndent(-1, cursor.mark())
    this.keys.drop()
    this.push('stream-end', cursor.mark())
  }

  private fetchDocumentIndicator(type: TokenType): void {
    this.unrollIndent(-1, this.cursor.mark())
    this.keys.drop()
    this.simpleKeyAllowed = false
    this.push(type, this.cursor.mark())
    this.cursor.pos += 3
  }

  private fetchIndicator(type: TokenType): void {
    this.push(type, this.cursor.mark())
    this.cursor.pos++
  }

  private fetchFlowStart(type: TokenType): void {
    this.saveSimpleKey()
    this.keys.enterFlow(this.taken + this.tokens.length)
    if (++this.flowLevel > MAX_DEPTH) throw this.cursor.fault(`exceeded max depth of ${MAX_DEPTH}`)
    this.simpleKeyAllowed = true
    this.fetchIndicator(type)
  }

  private fetchFlowEnd(type: TokenType): void {
    this.keys.drop()
    if (this.flowLevel > 0) {
      this.flowLevel--
      this.keys.leaveFlow()
    }
    this.simpleKeyAllowed = false
    this.fetchIndicator(type)
  }

  private fetchFlowEntry(): void {
    this.keys.drop()
    this.simpleKeyAllowed = true
    this.fetchIndicator('flow-entry')
  }

  private fetchBlockEntry(): void {
    const { cursor } = this
    if (this.flowLevel === 0) {
      if (!this.simpleKeyAllowed) throw cursor.fault('block sequence entries are not allowed in this context')
      this.rollIndent(cursor.column, 'block-seq-start', cursor.mark())
    }
    this.keys.drop()
    this.simpleKeyAllowed = true
    this.fetchIndicator('block-entry')
  }

  private fetchKey(): void {
    const { cursor } = this
    if (this.flowLevel === 0) {
      if (!this.simpleKeyAllowed) throw cursor.fault('mapping keys are not allowed in this context')
      this.rollIndent(cursor.column, 'block-map-start', cursor.mark())
    }
    this.keys.drop()
    this.simpleKeyAllowed = this.flowLevel === 0
    this.fetchIndicator('key')
  }

  private fetchValue(): void {
    const { cursor } = this
    const key = this.keys.current
    if (key) {
      this.insert(key.token, token('key', key.mark))
      this.rollIndent(key.mark.column, 'block-map-start', key.mark, key.token)
      this.keys.forget()
      this.simpleKeyAllowed = false
    } else {
      if (this.flowLevel === 0) {
        if (!this.simpleKeyAllowed) throw cursor.fault('mapping values are not allowed in this context')
        this.rollIndent(cursor.column, 'block-map-start', cursor.mark())
      }
      this.simpleKeyAllowed = this.flowLevel === 0
    }
    this.fetchIndicator('value')
  }

  /** A token that may be a simple key; no other one may start on this line after it. */
  private fetchSimple(scan: () => Token): void {
    this.saveSimpleKey()
    this.simpleKeyAllowed = false
    this.tokens.push(scan())
  }

  private fetchAnchor(type: 'anchor' | 'alias'): void {
    this.fetchSimple(() => scanAnchor(this.cursor, type))
  }

  private fetchBlockScalar(): void {
    this.keys.drop()
    this.simpleKeyAllowed = true
    this.tokens.push(scanBlockScalar(this.cursor, this.indent, start => this.comments.scanLine(this.cursor, start)))
  }

  private fetchPlain(): void {
    this.saveSimpleKey()
    this.simpleKeyAllowed = false
    const { scalar, broke } = scanPlain(this.cursor, this.flowLevel > 0, this.indent + 1)
    if (broke) this.simpleKeyAllowed = true
    this.tokens.push(scalar)
  }

  private fetchDirective(): void {
    const { cursor } = this
    this.unrollIndent(-1, cursor.mark())
    this.keys.drop()
    this.simpleKeyAllowed = false
    this.tokens.push(scanDirective(cursor))
  }
}
