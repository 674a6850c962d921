/** The token types of a template. */
export type TokenType =
  | 'error'
  | 'eof'
  | 'text'
  | 'left delimiter'
  | 'right delimiter'
  | 'space'
  | 'assign'
  | 'declare'
  | 'pipe'
  | 'left paren'
  | 'right paren'
  | 'char'
  | 'string'
  | 'raw string'
  | 'char constant'
  | 'number'
  | 'complex'
  | 'bool'
  | 'dot'
  | 'field'
  | 'variable'
  | 'identifier'
  | Keyword

export type Keyword =
  | 'block'
  | 'break'
  | 'continue'
  | 'define'
  | 'else'
  | 'end'
  | 'if'
  | 'range'
  | 'nil'
  | 'template'
  | 'with'

export const KEYWORDS: ReadonlySet<string> = new Set<Keyword>([
  ...(['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'range', 'nil', 'template', 'with'] as const),
])

export const isKeyword = (type: TokenType): type is Keyword => KEYWORDS.has(type)

export interface Token {
  readonly type: TokenType
  /** Index in the text. */
  readonly position: number
  readonly value: string
}

export interface LexOptions {
  readonly left: string
  readonly right: string
  /** Keywords that are functions here (break and continue came late to Go). */
  readonly isFunction: (name: string) => boolean
}
