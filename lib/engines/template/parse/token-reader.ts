import type { Lexer } from '../lex.ts'
import type { Token } from '../token.ts'

/** Tokens with a lookahead of three. Messages refer to the line of the last token read, lookahead included. */
export interface TokenReader {
  next(): Token
  nextNonSpace(): Token
  peek(): Token
  peekNonSpace(): Token
  /** Puts tokens back, to be read again in this order. */
  putBack(...tokens: readonly Token[]): void
  /** The line of the last token read. */
  line(): number
}

export const readTokens = (lexer: Lexer): TokenReader => {
  const waiting: Token[] = []
  let line = 1
  const read = (): Token => {
    const token = lexer.next()
    line = token.line
    return token
  }
  const next = (): Token => waiting.pop() ?? read()
  const nextNonSpace = (): Token => {
    let token = next()
    while (token.type === 'space') token = next()
    return token
  }
  const putBack = (...tokens: readonly Token[]): void => {
    for (const token of tokens.toReversed()) waiting.push(token)
  }
  const looked = (token: Token): Token => {
    putBack(token)
    return token
  }
  return {
    next,
    nextNonSpace,
    putBack,
    peek: () => looked(next()),
    peekNonSpace: () => looked(nextNonSpace()),
    line: () => line,
  }
}
