import type { Cursor } from './cursor.ts'
import type { Mark, Token } from './token.ts'

/** What the scanner tells about where a run of comment lines stands. */
export interface CommentContext {
  /** Where the white space before the comment began. */
  readonly from: Mark
  /** Those that were scanned and not yet taken: the last two, if there are as many. */
  readonly tokens: readonly Token[]
  readonly indent: number
  readonly inFlow: boolean
}

/** Collects comments while scanning, and hands them out with the token they belong to. */
export interface CommentQueue {
  /** A comment behind a token on its line; leaves the cursor before the line break. */
  scanLine(cursor: Cursor, mark: Mark): void
  /** Comment lines before the next token. */
  scan(cursor: Cursor, context: CommentContext): void
  /** Where a block of this indentation ends, taking comments on its level along. */
  blockEnd(mark: Mark, indent: number): Mark
  /** Releases the comments which stand before a token. */
  release(token: Token): void
}

/** Most readers want no comments. */
export const noComments: CommentQueue = {
  scanLine() {},
  scan() {},
  blockEnd: mark => mark,
  release() {},
}
