import { isBlank, isBreak, isBreakOrEnd, isDigit, SPACE, TAB } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { type Mark, type Token, token } from './token.ts'

const PLUS = 43
const MINUS = 45
const HASH = 35

/** Scans a literal (`|`) or folded (`>`) scalar; the cursor is on the indicator, its parent is indented by `parentIndent`. */
export const scanBlockScalar = (cursor: Cursor, parentIndent: number, onComment: (start: Mark) => void): Token => {
  const start = cursor.mark()
  const folded = cursor.text[cursor.pos] === '>'
  cursor.pos++
  const { chomping, increment } = scanHeader(cursor, start)
  while (isBlank(cursor.at())) cursor.pos++
  if (cursor.at() === HASH) {
    onComment(start)
    cursor.takeLine()
  }
  if (!isBreakOrEnd(cursor.at())) throw cursor.fault('did not find expected comment or line break', start)
  cursor.takeBreak()

  let indent = increment > 0 ? Math.max(parentIndent, 0) + increment : 0
  let trailing = ''
  const skipBreaks = (): void => {
    const found = scanBreaks(cursor, indent, parentIndent, start)
    indent = found.indent
    trailing += found.breaks
  }
  skipBreaks()

  let text = ''
  let lastBreak = ''
  let afterBlank = false
  while (cursor.column === indent && !cursor.atEnd()) {
    const blank = isBlank(cursor.at())
    if (folded && lastBreak === '\n' && !afterBlank && !blank) text += trailing === '' ? ' ' : ''
    else text += lastBreak
    text += trailing
    trailing = ''
    afterBlank = blank
    text += cursor.takeLine()
    lastBreak = cursor.takeBreak()
    skipBreaks()
  }
  if (chomping !== 'strip') text += lastBreak
  if (chomping === 'keep') text += trailing
  return token('scalar', start, text, folded ? 'folded' : 'literal')
}

const scanHeader = (cursor: Cursor, start: Mark): { chomping: 'clip' | 'strip' | 'keep'; increment: number } => {
  let chomping: 'clip' | 'strip' | 'keep' = 'clip'
  let increment = 0
  const takeChomping = (): void => {
    const c = cursor.at()
    if (c !== PLUS && c !== MINUS) return
    chomping = c === PLUS ? 'keep' : 'strip'
    cursor.pos++
  }
  takeChomping()
  if (isDigit(cursor.at())) {
    increment = cursor.at() - 48
    if (increment === 0) throw cursor.fault('found an indentation indicator equal to 0', start)
    cursor.pos++
    if (chomping === 'clip') takeChomping()
  }
  return { chomping, increment }
}

/** Skips indentation and empty lines; detects the indentation if it is not known yet. */
const scanBreaks = (
  cursor: Cursor,
  known: number,
  parentIndent: number,
  start: Mark,
): { indent: number; breaks: string } => {
  let breaks = ''
  let widest = 0
  for (;;) {
    while ((known === 0 || cursor.column < known) && cursor.at() === SPACE) cursor.pos++
    widest = Math.max(widest, cursor.column)
    if ((known === 0 || cursor.column < known) && cursor.at() === TAB)
      throw cursor.fault('found a tab character where an indentation space is expected', start)
    if (!isBreak(cursor.at())) break
    breaks += cursor.takeBreak()
  }
  return { indent: known === 0 ? Math.max(widest, parentIndent + 1, 1) : known, breaks }
}
