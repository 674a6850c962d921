import type { Cursor } from './cursor.ts'
import type { Mark, Token } from './token.ts'

/** The tokens scanned last, counted from the end: 1 is the last. */
export type RecentToken = (back: 1 | 2) => Token | undefined

/** What the scanner tells about where a run of comment lines stands. */
export interface CommentContext {
  /** Where the white space before the comment began. */
  readonly from: Mark
  readonly recent: RecentToken
  readonly indent: number
  readonly flowLevel: number
}

/** Collects comments while scanning, and hands them out with the token they belong to. */
export interface CommentQueue {
  /** A comment behind a token on its line; leaves the cursor before the line break. */
  scanLine(cursor: Cursor, mark: Mark): void
  /** Comment lines before the next token. */
  scan(cursor: Cursor, context: CommentContext): void
  /** A comment behind a sequence dash belongs to the item that follows. */
  settleEntryComment(cursor: Cursor, recent: RecentToken): void
  /** Where a block of this indentation ends, taking comments on its level along. */
  blockEnd(mark: Mark, indent: number): Mark
  /** Releases the comments which stand before a token. */
  release(token: Token): void
}

/** Most readers want no comments. */
export const noComments: CommentQueue = {
  scanLine() {},
  scan() {},
  settleEntryComment() {},
  blockEnd: mark => mark,
  release() {},
}
