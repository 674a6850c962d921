import type { Cursor } from './cursor.ts'
import type { Mark, Token } from './token.ts'

/** The context of a run of comment lines. */
export interface CommentContext {
  /** The start of the white space before the comment. */
  readonly from: Mark
  /** Scanned tokens that were not taken yet: at most the last two. */
  readonly tokens: readonly Token[]
  readonly indent: number
  readonly inFlow: boolean
}

/** Collects comments during scanning, and releases them with the token that they belong to. */
export interface CommentQueue {
  /** A comment after a token on the same line; leaves the cursor before the line break. */
  scanLine(cursor: Cursor, mark: Mark): void
  /** Comment lines before the next token. */
  scan(cursor: Cursor, context: CommentContext): void
  /** The end of a block with this indentation, including comments on its level. */
  blockEnd(mark: Mark, indent: number): Mark
  /** Releases the comments before a token. */
  release(token: Token): void
}

/** For readers that ignore comments. */
export const noComments: CommentQueue = {
  scanLine() {},
  scan() {},
  blockEnd: mark => mark,
  release() {},
}
