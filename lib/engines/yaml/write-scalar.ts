import { hasBreak, isBreak, SPACE } from './characters.ts'
import type { NodeStyle } from './node.ts'
import { analyzeScalar, type Emitter, isPrintable } from './scalar-analysis.ts'

/** The context of a scalar. */
export interface ScalarPlace {
  readonly emitter: Emitter
  /** Column of its first character. */
  readonly column: number
  /** Indentation of continuation lines. */
  readonly indent: number
  /** Lines are folded at the first space beyond this column. */
  readonly width: number
  readonly inFlow: boolean
  readonly isKey: boolean
  /** Spaces per nesting level, for the indentation hint of block scalars that begin with a space; 2 if absent. */
  readonly level?: number
  /** A comment after a block scalar's header. */
  readonly headerComment?: string
}

/** Writes a scalar in the wanted style, or in the closest one that can represent its text. Block styles end with a newline. */
export const writeScalar = (given: string, wanted: NodeStyle, place: ScalarPlace): string => {
  const text = given.toWellFormed()
  const style = possibleStyle(text, wanted, place)
  switch (style) {
    case 'single':
      return `'${fold(text.replaceAll("'", "''"), place, 1)}'`
    case 'double':
      return `"${escaped(text, place)}"`
    case 'literal':
      return `|${chompingHint(text, place)}${header(place)}${writeLiteral(text, place.indent)}`
    case 'folded':
      return `>${chompingHint(text, place)}${header(place)}${writeFolded(text, place.indent)}`
    default:
      return fold(text, place, 0)
  }
}

/** Printable ASCII without trailing spaces on lines, which only quotes can represent: can be a block without further analysis. */
const SURELY_BLOCK = /^(?:[!-~]|\n| (?![\n]|$))*$/

const possibleStyle = (text: string, wanted: NodeStyle, { emitter, inFlow, isKey }: ScalarPlace): NodeStyle => {
  if (wanted === 'literal' && !inFlow && !isKey && text !== '' && SURELY_BLOCK.test(text)) return wanted
  const can = analyzeScalar(text, emitter)
  let style = wanted
  if (style === '' && !(inFlow ? can.flowPlain : can.blockPlain)) style = 'single'
  if (style === '' && text === '' && isKey) style = 'single'
  if (style === 'single' && !can.single) style = 'double'
  if ((style === 'literal' || style === 'folded') && (!can.block || inFlow || isKey)) style = 'double'
  return style
}

/** The header with its comment; further lines of the comment are indented like the text. */
const header = ({ headerComment, indent }: ScalarPlace): string =>
  headerComment ? ` ${headerComment.replaceAll('\n', `\n${' '.repeat(indent)}`)}\n` : '\n'

/** Folds a plain or single-quoted text: at single spaces beyond the width; its own newlines are doubled. */
const fold = (text: string, place: ScalarPlace, quote: number): string => {
  const { column: start, indent, width, isKey } = place
  if (!hasBreak(text)) return isKey ? text : foldLine(text, start + quote, indent, width)
  const pad = ' '.repeat(indent)
  let out = ''
  let column = start + quote
  let breaks = false
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === SPACE) {
      if (!isKey && column > width && isFoldable(text, i)) {
        out += `\n${pad}`
        column = indent
      } else {
        out += ' '
        column++
      }
    } else if (isBreak(c)) {
      if (!breaks && c === 10) out += '\n'
      out += text[i]
      column = 0
      breaks = true
    } else {
      if (breaks) {
        out += pad
        column = indent
      }
      out += text[i]
      column++
      breaks = false
    }
  }
  // A closing quote after a line break is at the line's margin.
  return out
}

/** Folds a text without line breaks that starts at a column. */
export const foldLine = (text: string, column: number, indent: number, width: number): string => {
  if (column + text.length <= width) return text
  const pad = `\n${' '.repeat(indent)}`
  let out = ''
  let from = 0
  let at = text.indexOf(' ', width - column + 1)
  while (at >= 0) {
    if (isFoldable(text, at)) {
      out += text.slice(from, at) + pad
      from = at + 1
      at = text.indexOf(' ', from + Math.max(width - indent + 1, 0))
    } else at = text.indexOf(' ', at + 1)
  }
  return out + text.slice(from)
}

/** Whether the character is a single space between words. */
const isFoldable = (text: string, at: number): boolean => isBetweenWords(text, at) && text.charCodeAt(at + 1) !== SPACE

/** Whether a space is the first of a run, and not the last character. */
const isBetweenWords = (text: string, at: number): boolean =>
  at > 0 && at < text.length - 1 && text.charCodeAt(at - 1) !== SPACE

const ESCAPES = new Map<number, string>([
  [0, '0'],
  [7, 'a'],
  [8, 'b'],
  [9, 't'],
  [10, 'n'],
  [11, 'v'],
  [12, 'f'],
  [13, 'r'],
  [27, 'e'],
  [34, '"'],
  [92, '\\'],
  [0x85, 'N'],
  [0xa0, '_'],
  [0x2028, 'L'],
  [0x2029, 'P'],
])

const escapeOf = (code: number): string => {
  const short = ESCAPES.get(code)
  if (short) return `\\${short}`
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** Printable ASCII that double quotes hold as it is, wherever lines are folded. */
const UNCHANGED = /[!#-[\]-~]+/y

const escaped = (text: string, { column: start, indent, width, isKey }: ScalarPlace): string => {
  // libyaml checks for a byte order mark at the start of the text, whichever character it writes.
  const marked = text.startsWith('\ufeff')
  let out = ''
  let column = start + 1
  for (let i = 0; i < text.length; i++) {
    UNCHANGED.lastIndex = i
    if (!marked && UNCHANGED.test(text)) {
      out += text.slice(i, UNCHANGED.lastIndex)
      column += UNCHANGED.lastIndex - i
      i = UNCHANGED.lastIndex
      if (i === text.length) break
    }
    const code = text.codePointAt(i)!
    if (marked || !isPrintable(code) || isBreak(code) || code === 34 || code === 92) {
      const sequence = escapeOf(code)
      out += sequence
      column += sequence.length
      if (code > 0xffff) i++
    } else if (code === SPACE && !isKey && column > width && isBetweenWords(text, i)) {
      out += `\n${' '.repeat(indent)}`
      column = indent
      if (text.charCodeAt(i + 1) === SPACE) {
        out += '\\'
        column++
      }
    } else {
      out += text[i]
      column++
    }
  }
  return out
}

/** The header after `|` or `>`: an indentation hint for leading white space, and the handling of final newlines. */
const chompingHint = (text: string, { level = 2 }: ScalarPlace): string => {
  const first = text.charCodeAt(0)
  const indentation = first === SPACE || isBreak(first) ? String(level) : ''
  if (!endsInBreak(text)) return `${indentation}-`
  const keeps = text.length === 1 || isBreak(text.charCodeAt(text.length - 2))
  return keeps ? `${indentation}+` : indentation
}

const writeLiteral = (text: string, indent: number): string => {
  const out = text.replace(LINE, `${' '.repeat(indent)}$&`)
  return endsInBreak(text) ? out : `${out}\n`
}

const LINE = /[^\n\r\x85\u2028\u2029]+/g

/** Doubles newlines that would be folded, except next to lines that begin with white space. */
const writeFolded = (text: string, indent: number): string => {
  // libyaml checks the start of the whole text, not the following line: kept, as the bytes must match.
  const doubles = !/^[\n\r\x85\u2028\u2029]*[ \t]/.test(text)
  const out = text.replace(/([^\n\r\x85\u2028\u2029]+)(\n?)/g, (_, line: string, newline: string) => {
    const doubled = doubles && !/^[ \t]/.test(line) ? newline : ''
    return ' '.repeat(indent) + line + doubled + newline
  })
  return endsInBreak(text) ? out : `${out}\n`
}

const endsInBreak = (text: string): boolean => isBreak(text.charCodeAt(text.length - 1))
