import { quote } from '../../../foundations/go/quote.ts'
import { trimSpace } from '../../../foundations/go/white-space.ts'
import { formatValue } from '../format/format-value.ts'
import { byBytes, byteLength, byteSlice, compareTexts } from '../values/text.ts'
import {
  type FunctionMap,
  isList,
  isNothing,
  stringList,
  TemplateFunction,
  TypedMap,
  type Value,
} from '../values/value.ts'
import { requireAmount } from './amount.ts'
import { toText, toTexts } from './convert.ts'
import { lower, titleOf, upper } from './letter-case.ts'

/** text[start:end] with Go's error for bounds out of range. */
const cut = (text: string, start: number, end: number): string => {
  const length = byteLength(text)
  if (end < 0) throw new Error(`runtime error: slice bounds out of range [:${end}]`)
  if (end > length) throw new Error(`runtime error: slice bounds out of range [:${end}] with length ${length}`)
  if (start > end) throw new Error(`runtime error: slice bounds out of range [${start}:${end}]`)
  return byteSlice(text, start, end)
}

const substring = (start: number, end: number, text: string): string => {
  if (start < 0) return cut(text, 0, end)
  const length = byteLength(text)
  return cut(text, start, end < 0 ? length : Math.min(end, length))
}

const truncate = (size: number, text: string): string => {
  const length = byteLength(text)
  return size < 0 ? byteSlice(text, Math.max(0, length + size), length) : byteSlice(text, 0, size)
}

const joined = (separator: string, value: Value): string => {
  const texts = toTexts(value)
  const length = texts.reduce((sum, text) => sum + text.length, separator.length * Math.max(0, texts.length - 1))
  requireAmount(length, 'length of the text')
  return texts.join(separator)
}

const repeat = (count: number, text: string): string => {
  if (count < 0) throw new Error('strings: negative Repeat count')
  requireAmount(count * text.length, 'length of the text')
  return text.repeat(count)
}

const indent = (width: number, text: string): string => {
  const pad = repeat(width, ' ')
  requireAmount(text.length + width * text.split('\n').length, 'length of the text')
  return pad + text.replaceAll('\n', `\n${pad}`)
}

/** Like strings.Title: capitalizes each word, where spaces and ASCII punctuation other than _ end words. */
const title = (text: string): string => text.replace(/(?<![A-Za-z0-9_]|[^\0-\x7f\p{White_Space}])\p{L}/gu, titleOf)

/** Removes any of the characters at both ends. */
const trimAll = (characters: string, text: string): string => {
  const set = new Set(characters)
  const runes = [...text]
  const isKept = (rune: string) => !set.has(rune)
  return runes.slice(runes.findIndex(isKept), runes.findLastIndex(isKept) + 1).join('')
}

const replace = (from: string, to: string, text: string): string => {
  const count = from === '' ? [...text].length + 1 : text.split(from).length - 1
  requireAmount(text.length + count * Math.max(0, to.length - from.length), 'length of the text')
  return from === '' ? to + [...text].map(c => c + to).join('') : text.replaceAll(from, () => to)
}

const cat = (values: readonly Value[]): string =>
  values
    .filter(value => !isNothing(value))
    .map(formatValue)
    .join(' ')

/** strings.Split and SplitN: an empty separator splits into characters, `limit` is the maximum number of parts. */
const splitText = (separator: string, text: string, limit = -1): string[] => {
  if (limit === 0) return []
  const parts = separator === '' ? [...text] : text.split(separator)
  if (limit < 0 || parts.length <= limit) return parts
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]
}

const numbered = (parts: readonly string[]): TypedMap =>
  new TypedMap(
    'string',
    parts.map((part, i) => [`_${i}`, part] as const),
  )

const quoted = (values: readonly Value[], write: (text: Value) => string): string =>
  values
    .filter(value => !isNothing(value))
    .map(write)
    .join(' ')

const text1 = (call: (text: string) => Value) => new TemplateFunction(['string'], call)
const text2 = (call: (a: string, b: string) => Value) => new TemplateFunction(['string', 'string'], call)
const sized = (call: (size: number, text: string) => Value) => new TemplateFunction(['int', 'string'], call)
const all = (call: (values: Value[]) => Value) =>
  new TemplateFunction([], (...values: Value[]) => call(values), 'interface {}')

/** sprig's string functions; the text comes last, so that it can come from a pipeline. */
export const stringFunctions: FunctionMap = new Map([
  ['hello', new TemplateFunction([], () => 'Hello!')],
  ['trunc', sized(truncate)],
  ['trim', text1(trimSpace)],
  ['upper', text1(upper)],
  ['lower', text1(lower)],
  ['title', text1(text => title(text.toWellFormed()))],
  ['substr', new TemplateFunction(['int', 'int', 'string'], substring)],
  ['repeat', sized(repeat)],
  ['trimall', text2(trimAll)],
  ['trimAll', text2(trimAll)],
  ['trimSuffix', text2((end, text) => (end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text))],
  ['trimPrefix', text2((start, text) => (text.startsWith(start) ? text.slice(start.length) : text))],
  ['contains', text2((part, text) => byBytes(text, part, (text, part) => text.includes(part)))],
  ['hasPrefix', text2((start, text) => byBytes(text, start, (text, start) => text.startsWith(start)))],
  ['hasSuffix', text2((end, text) => byBytes(text, end, (text, end) => text.endsWith(end)))],
  ['quote', all(values => quoted(values, value => quote(toText(value))))],
  ['squote', all(values => quoted(values, value => `'${formatValue(value)}'`))],
  ['cat', all(cat)],
  ['indent', sized(indent)],
  ['nindent', sized((width, text) => `\n${indent(width, text)}`)],
  ['replace', new TemplateFunction(['string', 'string', 'string'], replace)],
  ['plural', new TemplateFunction(['string', 'string', 'int'], (one, many, count) => (count === 1 ? one : many))],
  ['split', text2((separator, text) => numbered(splitText(separator, text)))],
  ['splitList', text2((separator, text) => stringList(splitText(separator, text)))],
  [
    'splitn',
    new TemplateFunction(['string', 'int', 'string'], (separator, limit, text) =>
      numbered(splitText(separator, text, limit)),
    ),
  ],
  ['join', new TemplateFunction(['string', 'interface {}'], joined)],
  [
    'sortAlpha',
    new TemplateFunction(['interface {}'], (value: Value) =>
      stringList(isList(value) ? toTexts(value).sort(compareTexts) : [toText(value)]),
    ),
  ],
])
