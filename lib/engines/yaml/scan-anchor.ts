import { isBlankOrEnd, isWord } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { type Token, token } from './token.ts'

/** Scans the name of an anchor (`&name`) or of an alias (`*name`). */
export const scanAnchor = (cursor: Cursor, type: 'anchor' | 'alias'): Token => {
  const start = cursor.mark()
  const from = ++cursor.pos
  while (isWord(cursor.at())) cursor.pos++
  const c = cursor.at()
  if (cursor.pos === from || !(isBlankOrEnd(c) || '?:,]}%@`'.includes(String.fromCharCode(c))))
    throw cursor.fault('did not find expected alphabetic or numeric character', start)
  return token(type, start, cursor.text.slice(from, cursor.pos))
}
