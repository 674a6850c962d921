import { byteLength, byteSlice, bytesOf, textOf } from '../values/text.ts'
import { type FunctionMap, TemplateFunction, type Value } from '../values/value.ts'
import { requireAmount } from './amount.ts'
import { connectedWords, pascalCase } from './identifier-case.ts'
import { lowerOf, titleOf, upperOf } from './letter-case.ts'

/** sprig's functions for words and their case, from its libraries goutils and xstrings. */

/** Some functions of goutils treat bytes as characters, so that only ASCII survives them. */
const latinOf = (text: string): string => bytesOf(text).toString('latin1')
const BYTE_SPACES = /[\t-\r \x85\xa0]/g

const withoutSpaces = (text: string): string => {
  const bytes = latinOf(text)
  const left = bytes.replace(BYTE_SPACES, '')
  return left.length === bytes.length ? text : left
}

const initials = (text: string): string =>
  latinOf(text)
    .split(BYTE_SPACES)
    .map(word => word.slice(0, 1))
    .join('')

const swapCase = (text: string): string =>
  text.replace(/(\p{Lu}|\p{Lt})|(?<![^\p{White_Space}])(\p{Ll})|\p{Ll}/gu, (c, large, first) =>
    large ? lowerOf(c) : first ? titleOf(c) : upperOf(c),
  )

const abbreviate = (width: number, text: string): string =>
  width < 4 || byteLength(text) <= width ? text : `${byteSlice(text, 0, width - 3)}...`

const abbreviateBoth = (left: number, width: number, text: string): string => {
  const length = byteLength(text)
  if (width < 4 || (left > 0 && width < 7) || length <= width) return text
  const room = width - 3
  const offset = Math.min(left, length - room)
  if (offset <= 4) return `${byteSlice(text, 0, room)}...`
  return offset + room < length
    ? `...${byteSlice(text, offset, offset + room - 3)}...`
    : `...${byteSlice(text, offset, length)}`
}

/** Breaks lines at spaces, at most `width` bytes long; longer words are cut only with `cutsWords`. */
const wrapText = (text: string, width: number, lineEnd: string, cutsWords: boolean): string => {
  const size = Math.max(1, width)
  const [bytes, between] = [latinOf(text), latinOf(lineEnd || '\n')]
  const lines: string[] = []
  let offset = 0
  while (bytes.length - offset > size) {
    if (bytes[offset] === ' ') {
      offset++
      continue
    }
    const space = bytes.slice(offset, offset + size + 1).lastIndexOf(' ')
    const later = bytes.indexOf(' ', offset + size)
    if (space === -1 && !cutsWords && later === -1) break
    const end = space !== -1 ? offset + space : cutsWords ? offset + size : later
    lines.push(bytes.slice(offset, end))
    offset = space === -1 && cutsWords ? end : end + 1
  }
  requireAmount(bytes.length + lines.length * between.length, 'length of the text')
  return textOf(Buffer.from([...lines, bytes.slice(offset)].join(between), 'latin1'))
}

const one = (call: (text: string) => Value) => new TemplateFunction(['string'], call)

export const wordFunctions: FunctionMap = new Map([
  ['snakecase', one(text => connectedWords(text, '_'))],
  ['kebabcase', one(text => connectedWords(text, '-'))],
  ['camelcase', one(pascalCase)],
  ['swapcase', one(swapCase)],
  ['nospace', one(withoutSpaces)],
  ['initials', one(initials)],
  ['untitle', one(text => text.replace(/(?<!\P{White_Space})\P{White_Space}/gu, lowerOf))],
  ['abbrev', new TemplateFunction(['int', 'string'], abbreviate)],
  ['abbrevboth', new TemplateFunction(['int', 'int', 'string'], abbreviateBoth)],
  ['wrap', new TemplateFunction(['int', 'string'], (width, text) => wrapText(text, width, '', false))],
  [
    'wrapWith',
    new TemplateFunction(['int', 'string', 'string'], (width, lineEnd, text) => wrapText(text, width, lineEnd, true)),
  ],
])
