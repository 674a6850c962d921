import { isBlank, isBreak, TAB } from './characters.ts'
import type { Cursor } from './cursor.ts'
import type { Mark } from './token.ts'

/** White space between the words of a plain or quoted scalar, which may span lines. */
export interface Gap {
  /** Spaces and tabs. */
  readonly blanks: string
  /** The first line break, and the further ones. */
  readonly first: string
  readonly rest: string
  /** Whether a line ended in it. */
  readonly broke: boolean
}

export const noGap: Gap = {
  blanks: '',
  first: '',
  rest: '',
  broke: false,
}

/**
 * Scans white space and line breaks. `joined`: an escaped line break came before. In a scalar that began at `start`, a tab on a further
 * line must not be in a column below `indent`.
 */
export const scanGap = (cursor: Cursor, joined: boolean, indent = 0, start?: Mark): Gap => {
  let blanks = ''
  let first = ''
  let rest = ''
  let broke = joined
  for (;;) {
    const c = cursor.at()
    if (isBlank(c)) {
      if (broke && c === TAB && cursor.column < indent)
        throw cursor.fault('found a tab character that violates indentation', start)
      blanks += cursor.text[cursor.pos]
      cursor.pos++
    } else if (isBreak(c)) {
      if (broke) rest += cursor.takeBreak()
      else {
        first = cursor.takeBreak()
        broke = true
      }
    } else return { blanks, first, rest, broke }
  }
}

/** A single newline becomes a space, several become one less; the rarer separators are kept. */
export const foldBreaks = ({ first, rest }: Gap, escaped = false): string => {
  if (first === '\n') return rest === '' ? ' ' : rest
  return escaped ? rest : first + rest
}
