import { describeCharacter, quote } from '../../foundations/go/quote.ts'
import { isSpace, type RightDelimiter, rightDelimiterAt, trimsLeftAt } from './delimiters.ts'
import { endOfNumber } from './scan-number.ts'
import { KEYWORDS, type Keyword, type LexOptions, type Token, type TokenType } from './token.ts'

/** Runs of characters are matched as a whole: V8's interpreter, which most templates of a short process are read by, is slow at single ones. */
const SPACES = /[ \t\r\n]*/y
const ASCII_WORD = /[A-Za-z0-9_]*/y
const WORD = /[\p{L}\p{Nd}_]*/uy
const INTEGER = /-?[0-9]+(?![\w.+-]|[^\0-\x7f])/y
const UP_TO_QUOTE = /[^"\\\n]*/y
const UP_TO_APOSTROPHE = /[^'\\\n]*/y

/** Characters after which a word ends, besides the right delimiter. */
const TERMINATORS = ' \t\r\n.,|:)('
const FIRST_BEYOND_ASCII = 0x80
const [PLUS, HYPHEN, DOT] = [43, 45, 46]

/**
 * Splits a template into tokens, one per call of `next`, as Go's lexer does: the text between actions (trimmed by markers), and the words of
 * each action. Don't call it again after an error.
 */
export class Lexer {
  private readonly text: string
  private readonly options: LexOptions
  private readonly firstOfRight: number
  private position = 0
  private start = 0
  private insideAction = false
  private openParens = 0
  /** Whether the last right delimiter takes the spaces behind it. */
  trims = false

  constructor(text: string, options: LexOptions) {
    this.text = text
    this.options = options
    this.firstOfRight = options.right.charCodeAt(0)
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
      while (trims && this.position > this.start && isSpace(text.charCodeAt(this.position - 1))) this.position--
      const token = this.position > this.start ? this.token('text') : undefined
      this.position = found
      this.start = found
      if (token) return token
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
      this.start = this.position
      return this.skipComment()
    }
    this.position = afterDelimiter
    const token = this.token('left delimiter')
    this.insideAction = true
    this.position += marker
    this.start = this.position
    return token
  }

  private skipComment(): Token | undefined {
    const close = this.text.indexOf('*/', this.position + 2)
    if (close === -1) return this.error('unclosed comment')
    this.position = close + 2
    const right = rightDelimiterAt(this.text, this.position, this.options.right)
    if (!right) return this.error('comment ends before closing delimiter')
    this.position += right.length
    if (right.trims) this.skip(SPACES)
    this.start = this.position
    return undefined
  }

  private nextInAction(): Token {
    const { text, position } = this
    const code = text.charCodeAt(position)
    const isBlank = isSpace(code)
    if (isBlank || code === this.firstOfRight) {
      const right = rightDelimiterAt(text, position, this.options.right)
      if (right) return this.openParens > 0 ? this.error('unclosed left paren') : this.closeAction(right)
    }
    if (position >= text.length) return this.error('unclosed action')
    if (isBlank) return this.spaces()
    if (isLetter(code)) return this.identifier()
    if (code === DOT && position + 1 < text.length && !isDigit(text.charCodeAt(position + 1))) return this.name('field')
    if (code === DOT || code === PLUS || code === HYPHEN || isDigit(code)) return this.number()
    const c = code < FIRST_BEYOND_ASCII ? text[position]! : this.peek()
    if (code >= FIRST_BEYOND_ASCII && /[\p{L}\p{Nd}]/u.test(c)) return this.identifier()
    this.position += c.length
    switch (c) {
      case '=':
        return this.token('assign')
      case ':':
        return this.accept('=') ? this.token('declare') : this.error('expected :=')
      case '|':
        return this.token('pipe')
      case '"':
        return this.quoted(UP_TO_QUOTE, 'string', 'unterminated quoted string')
      case "'":
        return this.quoted(UP_TO_APOSTROPHE, 'char constant', 'unterminated character constant')
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
    return this.leaveAction(this.position + length, trims)
  }

  /** Moves behind an action that ends here, and returns its right delimiter. */
  leaveAction(end: number, trims: boolean): Token {
    this.start = end - this.options.right.length
    this.position = end
    const token = this.token('right delimiter')
    if (trims) this.skip(SPACES)
    this.start = this.position
    this.insideAction = false
    this.openParens = 0
    this.trims = trims
    return token
  }

  /** All spaces except one that belongs to a delimiter's trim marker. */
  private spaces(): Token {
    const { text } = this
    this.skip(SPACES)
    if (text.charCodeAt(this.position) === HYPHEN && text.startsWith(this.options.right, this.position + 1))
      this.position--
    return this.token('space')
  }

  private identifier(): Token {
    this.skipWord()
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
    this.skipWord()
    return this.atTerminator() ? this.token(type) : this.badCharacter()
  }

  private number(): Token {
    if (this.skip(INTEGER)) return this.token('number')
    const { end, isWellFormed, isComplex } = endOfNumber(this.text, this.position)
    this.position = end
    if (isWellFormed) return this.token(isComplex ? 'complex' : 'number')
    return this.error(`bad number syntax: ${quote(this.text.slice(this.start, end))}`)
  }

  private quoted(content: RegExp, type: TokenType, problem: string): Token {
    for (;;) {
      this.skip(content)
      let c = this.peek()
      this.position += c.length
      if (c === '\\') {
        c = this.peek()
        this.position += c.length
        if (c !== '' && c !== '\n') continue
      }
      return c === '' || c === '\n' ? this.error(problem) : this.token(type)
    }
  }

  private rawString(): Token {
    const close = this.text.indexOf('`', this.position)
    if (close === -1) return this.error('unterminated raw quoted string')
    this.position = close + 1
    return this.token('raw string')
  }

  private atTerminator(): boolean {
    const c = this.text.charAt(this.position)
    return TERMINATORS.includes(c) || this.text.startsWith(this.options.right, this.position)
  }

  private badCharacter(): Token {
    return this.error(`bad character ${describeCharacter(this.peek())}`)
  }

  private peek(): string {
    const code = this.text.codePointAt(this.position)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  private accept(character: string): boolean {
    if (!this.text.startsWith(character, this.position)) return false
    this.position += character.length
    return true
  }

  private skipWord(): void {
    this.skip(ASCII_WORD)
    if (this.text.charCodeAt(this.position) >= FIRST_BEYOND_ASCII) this.skip(WORD)
  }

  /** Moves behind what a sticky pattern matches here, if it does. */
  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.position
    if (!pattern.test(this.text)) return false
    this.position = pattern.lastIndex
    return true
  }

  private token(type: TokenType): Token {
    const { start, position } = this
    this.start = position
    return { type, position: start, value: this.text.slice(start, position) }
  }

  private error(message: string): Token {
    return { type: 'error', position: this.start, value: message }
  }
}

/** Of ASCII, the underscore among them. */
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95

const isDigit = (code: number): boolean => code >= 48 && code <= 57
