import { describeCharacter, quote } from '../../foundations/go/quote.ts'
import { type RightDelimiter, rightDelimiterAt, trimsLeftAt } from './delimiters.ts'
import { endOfNumber } from './scan-number.ts'
import { KEYWORDS, type Keyword, type LexOptions, type Token, type TokenType } from './token.ts'

const SPACE = /[ \t\r\n]/
const WORD = /[\p{L}\p{Nd}_]/u
/**
 * Splits a template into tokens, one per call of `next`, as Go's lexer does: the text between actions (trimmed by markers), and the words of
 * each action. Don't call it again after an error.
 */
export class Lexer {
  private readonly text: string
  private readonly options: LexOptions
  private position = 0
  private start = 0
  private line = 1
  private insideAction = false
  private openParens = 0

  constructor(text: string, options: LexOptions) {
    this.text = text
    this.options = options
  }

  next(): Token {
    return this.insideAction ? this.nextInAction() : this.nextOutside()
  }

  private nextOutside(): Token {
    for (;;) {
      const { text } = this
      const found = text.indexOf(this.options.left, this.position)
      if (found < 0) {
        this.position = text.length
        return this.token(this.position > this.start ? 'text' : 'eof')
      }
      const trims = trimsLeftAt(text, found + this.options.left.length)
      this.position = found
      while (trims && this.position > this.start && SPACE.test(text[this.position - 1]!)) this.position--
      const token = this.token('text')
      this.position = found
      this.skip()
      if (token.value !== '') return token
      const opened = this.openAction()
      if (opened) return opened
    }
  }

  /** The left delimiter; undefined for a comment, which yields no token. */
  private openAction(): Token | undefined {
    const afterDelimiter = this.position + this.options.left.length
    const marker = trimsLeftAt(this.text, afterDelimiter) ? 2 : 0
    if (this.text.startsWith('/*', afterDelimiter + marker)) {
      this.position = afterDelimiter + marker
      this.skip()
      return this.skipComment()
    }
    this.position = afterDelimiter
    const token = this.token('left delimiter')
    this.insideAction = true
    this.position += marker
    this.skip()
    return token
  }

  private skipComment(): Token | undefined {
    const close = this.text.indexOf('*/', this.position + 2)
    if (close === -1) return this.error('unclosed comment')
    this.position = close + 2
    const right = rightDelimiterAt(this.text, this.position, this.options.right)
    if (!right) return this.error('comment ends before closing delimiter')
    this.position += right.length
    if (right.trims) this.skipSpaces()
    this.skip()
    return undefined
  }

  private nextInAction(): Token {
    const right = rightDelimiterAt(this.text, this.position, this.options.right)
    if (right) return this.openParens > 0 ? this.error('unclosed left paren') : this.closeAction(right)
    const c = this.peek()
    if (c === '') return this.error('unclosed action')
    if (SPACE.test(c)) return this.spaces()
    if (c === '.' && !/[0-9]/.test(this.text[this.position + 1] ?? '0')) return this.name('field')
    if (/[.+\-0-9]/.test(c)) return this.number()
    if (WORD.test(c)) return this.identifier()
    this.advance(c)
    switch (c) {
      case '=':
        return this.token('assign')
      case ':':
        return this.accept(/=/) ? this.token('declare') : this.error('expected :=')
      case '|':
        return this.token('pipe')
      case '"':
        return this.quoted('"', 'string', 'unterminated quoted string')
      case "'":
        return this.quoted("'", 'char constant', 'unterminated character constant')
      case '`':
        return this.rawString()
      case '$':
        this.position--
        return this.name('variable')
      case '(':
        this.openParens++
        return this.token('left paren')
      case ')':
        return --this.openParens < 0 ? this.error('unexpected right paren') : this.token('right paren')
    }
    if (c >= '!' && c <= '~') return this.token('char')
    return this.error(`unrecognized character in action: ${describeCharacter(c)}`)
  }

  private closeAction({ length, trims }: RightDelimiter): Token {
    this.position += length - this.options.right.length
    this.skip()
    this.position += this.options.right.length
    const token = this.token('right delimiter')
    if (trims) this.skipSpaces()
    this.insideAction = false
    return token
  }

  /** All spaces except one that belongs to a delimiter's trim marker. */
  private spaces(): Token {
    while (SPACE.test(this.peek()) && !rightDelimiterAt(this.text, this.position, this.options.right)) this.position++
    return this.token('space')
  }

  private identifier(): Token {
    this.acceptRun(WORD)
    const word = this.text.slice(this.start, this.position)
    if (!this.atTerminator()) return this.badCharacter()
    if (word === 'true' || word === 'false') return this.token('bool')
    const isLoopWord = word === 'break' || word === 'continue'
    if (KEYWORDS.has(word) && !(isLoopWord && this.options.isFunction(word))) return this.token(word as Keyword)
    return this.token('identifier')
  }

  /** `.name` or `$name`, or the dot or dollar alone. */
  private name(type: 'field' | 'variable'): Token {
    this.position++
    if (this.atTerminator()) return this.token(type === 'variable' ? 'variable' : 'dot')
    this.acceptRun(WORD)
    return this.atTerminator() ? this.token(type) : this.badCharacter()
  }

  private number(): Token {
    const { end, isWellFormed, isComplex } = endOfNumber(this.text, this.position)
    this.position = end
    if (isWellFormed) return this.token(isComplex ? 'complex' : 'number')
    return this.error(`bad number syntax: ${quote(this.text.slice(this.start, end))}`)
  }

  private quoted(quote: string, type: TokenType, problem: string): Token {
    for (;;) {
      let c = this.peek()
      this.advance(c)
      if (c === quote) return this.token(type)
      if (c === '\\') {
        c = this.peek()
        this.advance(c)
      }
      if (c === '' || c === '\n') return this.error(problem)
    }
  }

  private rawString(): Token {
    const close = this.text.indexOf('`', this.position)
    if (close === -1) return this.error('unterminated raw quoted string')
    this.position = close + 1
    return this.token('raw string')
  }

  private atTerminator(): boolean {
    const c = this.peek()
    return c === '' || /[ \t\r\n.,|:)(]/.test(c) || this.text.startsWith(this.options.right, this.position)
  }

  private badCharacter(): Token {
    return this.error(`bad character ${describeCharacter(this.peek())}`)
  }

  private peek(): string {
    const code = this.text.codePointAt(this.position)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  private advance(c: string): void {
    this.position += c.length
  }

  private accept(pattern: RegExp): boolean {
    const c = this.peek()
    if (!pattern.test(c)) return false
    this.advance(c)
    return true
  }

  private acceptRun(pattern: RegExp): void {
    while (this.accept(pattern)) {}
  }

  private skipSpaces(): void {
    while (SPACE.test(this.peek())) this.position++
    this.skip()
  }

  private token(type: TokenType): Token {
    const { start, line } = this
    this.skip()
    return { type, position: start, value: this.text.slice(start, this.position), line }
  }

  /** Moves the start to the position, counting lines. */
  private skip(): void {
    for (let i = this.start; i < this.position; i++) if (this.text.charCodeAt(i) === 10) this.line++
    this.start = this.position
  }

  private error(message: string): Token {
    return { type: 'error', position: this.start, value: message, line: this.line }
  }
}
