import type { Lexer } from '../lex.ts'
import type { Token } from '../token.ts'

/** The maximum number of tokens that the parser may look ahead or go back: a power of two. */
const KEPT = 8

/** The tokens of a text, with lookahead. */
export class TokenReader {
  private readonly lexer: Lexer
  /** The last tokens read, by their number. */
  private readonly recent: Token[] = []
  private read = 0
  private at = 0

  constructor(lexer: Lexer) {
    this.lexer = lexer
  }

  next(): Token {
    if (this.at === this.read) this.recent[this.read++ % KEPT] = this.lexer.next()
    return this.recent[this.at++ % KEPT]!
  }

  nextNonSpace(): Token {
    let token = this.next()
    while (token.type === 'space') token = this.next()
    return token
  }

  peek(): Token {
    const token = this.next()
    this.at--
    return token
  }

  /** Spaces before the token are skipped for good. */
  peekNonSpace(): Token {
    const token = this.nextNonSpace()
    this.at--
    return token
  }

  /** The number of the next token. */
  get mark(): number {
    return this.at
  }

  /** Goes back to a token. */
  rewind(mark: number): void {
    this.at = mark
  }

  /** Puts the last token back. */
  putBack(): void {
    this.at--
  }

  /** Continues after an action that ends here; `trims` is whether the text after it loses its spaces. */
  leaveAction(end: number, trims: boolean): void {
    this.recent[this.read++ % KEPT] = this.lexer.leaveAction(end, trims)
    this.at = this.read
  }

  /** Where the action ends whose right delimiter was the last token; undefined if that was another one. */
  get endOfAction(): number | undefined {
    const last = this.recent[(this.read - 1) % KEPT]
    return last?.type === 'right delimiter' ? last.position + last.value.length : undefined
  }

  /** Whether the last right delimiter takes the spaces behind it. */
  get trims(): boolean {
    return this.lexer.trims
  }

  /** Where the last token read starts, lookahead included: messages refer to its line. */
  get position(): number {
    return this.recent[(this.read - 1) % KEPT]?.position ?? 0
  }
}
