import { byteLength, byteSlice } from '../values/text.ts'
import { type FunctionMap, TemplateFunction, type Value } from '../values/value.ts'
import { requireAmount } from './amount.ts'

/** sprig's functions about how words are written, as its libraries goutils and xstrings have them. */

/** Words of an identifier in any style: HTTPServer, go_path, Go-Path, "go path". */
const wordsJoined = (text: string, separator: string): string =>
  text
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1_$2')
    .replace(/([\p{Ll}\p{Nd}])(\p{Lu})/gu, '$1_$2')
    .replace(/[ _-]/g, separator)
    .toLowerCase()

const capital = (word: string): string => word.replace(/^./u, c => c.toUpperCase())

/** Between words one connector is taken away; at both ends they stay. */
const camelCase = (text: string): string => {
  const [, head = '', body = '', tail = ''] = /^([_ -]*)(.*?)([_ -]*)$/s.exec(text) ?? []
  const joined = body.replace(
    /([_ -]+)(.)/gsu,
    (_, connectors: string, next: string) => connectors.slice(1) + next.toUpperCase(),
  )
  return head + capital(joined) + tail
}

const swapCase = (text: string): string =>
  text.replace(/\p{L}/gu, c => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()))

const abbreviate = (width: number, text: string): string =>
  width < 4 || byteLength(text) <= width ? text : `${byteSlice(text, 0, width - 3)}...`

const abbreviateBoth = (left: number, width: number, text: string): string => {
  const length = byteLength(text)
  if (width < 4 || (left > 0 && width < 7) || length <= width) return text
  const offset = Math.min(left, length, length - left < width - 3 ? length - (width - 3) : left)
  if (offset <= 4) return `${byteSlice(text, 0, width - 3)}...`
  if (offset + width - 3 < length) return `...${abbreviate(width - 3, byteSlice(text, offset, length))}`
  return `...${byteSlice(text, length - (width - 3), length)}`
}

/** Lines of at most `width`, broken at spaces; words longer than that are cut only if told. */
const wrapText = (text: string, width: number, lineEnd: string, cutsWords: boolean): string => {
  const size = Math.max(1, width)
  const lines: string[] = []
  let offset = 0
  while (text.length - offset > size) {
    if (text[offset] === ' ') {
      offset++
      continue
    }
    const space = text.slice(offset, offset + size + 1).lastIndexOf(' ')
    const later = text.indexOf(' ', offset + size)
    if (space < 0 && !cutsWords && later < 0) break
    const end = space >= 0 ? offset + space : cutsWords ? offset + size : later
    lines.push(text.slice(offset, end))
    offset = space < 0 && cutsWords ? end : end + 1
  }
  requireAmount(text.length + lines.length * lineEnd.length, 'length of the text')
  return [...lines, text.slice(offset)].join(lineEnd)
}

const one = (call: (text: string) => Value) => new TemplateFunction(['string'], call)

export const wordFunctions: FunctionMap = new Map([
  ['snakecase', one(text => wordsJoined(text, '_'))],
  ['kebabcase', one(text => wordsJoined(text.replaceAll('_', '-'), '-').replaceAll('_', '-'))],
  ['camelcase', one(camelCase)],
  ['swapcase', one(swapCase)],
  ['nospace', one(text => text.replace(/\p{White_Space}/gu, ''))],
  ['initials', one(text => (text.match(/(?<!\P{White_Space})\P{White_Space}/gu) ?? []).join(''))],
  ['untitle', one(text => text.replace(/(?<!\P{White_Space})\P{White_Space}/gu, c => c.toLowerCase()))],
  ['abbrev', new TemplateFunction(['int', 'string'], abbreviate)],
  ['abbrevboth', new TemplateFunction(['int', 'int', 'string'], abbreviateBoth)],
  ['wrap', new TemplateFunction(['int', 'string'], (width, text) => wrapText(text, width, '\n', false))],
  [
    'wrapWith',
    new TemplateFunction(['int', 'string', 'string'], (width, lineEnd, text) => wrapText(text, width, lineEnd, true)),
  ],
])
