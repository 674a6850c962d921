import { isBlank, isBlankOrEnd, isBreak } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { foldBreaks, noGap, scanGap } from './scan-gap.ts'
import { type Token, token } from './token.ts'

const COLON = 58
const HASH = 35

/** `,?[]{}` end a plain scalar inside a flow collection. */
const endsInFlow = (c: number): boolean => c === 44 || c === 63 || c === 91 || c === 93 || c === 123 || c === 125

/** Words separated by single spaces: most of a text in one match. */
const WORDS = /[^ \t\0\n\r\x85\u2028\u2029:#]+(?: [^ \t\0\n\r\x85\u2028\u2029:#]+)*/y

/** Scans a plain scalar; `broke` if a line break followed it (so that a key may come next). */
export const scanPlain = (cursor: Cursor, inFlow: boolean, indent: number): { scalar: Token; broke: boolean } => {
  const start = cursor.mark()
  let text = ''
  let gap = noGap
  for (;;) {
    if (cursor.atDocumentIndicator() || cursor.at() === HASH) break
    const from = cursor.pos
    if (!inFlow) cursor.take(WORDS)
    for (;;) {
      const c = cursor.at()
      if (isBlankOrEnd(c) || (c === COLON && isBlankOrEnd(cursor.at(1))) || (inFlow && endsInFlow(c))) break
      cursor.pos++
    }
    if (cursor.pos > from) {
      text += (gap.broke ? foldBreaks(gap) : gap.blanks) + cursor.text.slice(from, cursor.pos)
      gap = noGap
    }
    if (!isBlank(cursor.at()) && !isBreak(cursor.at())) break
    gap = scanGap(cursor, false, indent, start)
    if (!inFlow && cursor.column < indent) break
  }
  return { scalar: token('scalar', start, text), broke: gap.broke }
}

/** Whether a plain scalar starts here. The caller has handled `-`, `?` and `:` as indicators. */
export const mayStartPlain = (cursor: Cursor): boolean => {
  const c = cursor.at()
  return !isBlankOrEnd(c) && !',[]{}#&*!|>\'"%@`'.includes(String.fromCharCode(c))
}
