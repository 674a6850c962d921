import { trimSpace } from '../../../foundations/go/white-space.ts'
import { SopsError } from '../sops-error.ts'
import { Branch, Comment, type Item, type SopsValue } from '../tree.ts'
import type { Format } from './format.ts'
import { readIni } from './ini-reader.ts'
import { requireBytes } from './plain-text.ts'

/** Sections of `key = value`, read and written as in the Go library ini.v1. */
export const ini: Format = {
  metadata: 'section',
  read: content => [readIni(Buffer.from(content).toString())],
  write: documents => Buffer.from(writeSections(documents.flatMap(({ items }) => items)), 'latin1'),
}

/** As Latin-1 characters, one per byte: values need not be UTF-8. */
const writeSections = (items: readonly Item[]): string => {
  const sections = items.filter(({ key }) => typeof key === 'string').map(toSection)
  return sections.map((section, i) => writeSection(section, i === 0, i === sections.length - 1)).join('')
}

interface Section {
  readonly name: string
  readonly comment: string
  readonly keys: readonly Key[]
}

interface Key {
  readonly name: string
  readonly value: Buffer
  readonly comment: string
}

const toSection = ({ key, value }: Item): Section => {
  const name = String(key)
  if (!(value instanceof Branch)) {
    throw new SopsError('format', `section values must be mappings; offending key ${name}`, { key: name })
  }
  const [first, ...rest] = value.items
  const [comment, items] = first?.key instanceof Comment ? [first.key.text, rest] : ['', value.items]
  return { name, comment, keys: toKeys(items) }
}

/** A comment belongs to the key before it; of several values under one key the last wins. */
const toKeys = (items: readonly Item[]): Key[] => {
  const keys = new Map<string, Key>()
  let last: string | undefined
  for (const { key, value } of items) {
    if (typeof key === 'string') {
      keys.set(key, {
        name: key,
        value: requireBytes(value as SopsValue, key),
        comment: keys.get(key)?.comment ?? '',
      })
      last = key
    } else if (last !== undefined) keys.set(last, { ...keys.get(last)!, comment: key.text })
  }
  return [...keys.values()]
}

const writeSection = ({ name, comment, keys }: Section, isFirst: boolean, isLast: boolean): string => {
  const isDefault = isFirst && name.toUpperCase() === 'DEFAULT'
  const head = latin1(writeComment(comment, line => line) + (isDefault ? '' : `[${name}]\n`))
  if (isDefault && keys.length === 0) return head
  const width = Math.max(0, ...keys.map(key => writtenLength(key.name)))
  return head + keys.map(key => writeKey(key, width)).join('') + (isLast ? '' : '\n')
}

/** `bare` formats lines without a comment mark. */
const writeComment = (comment: string, bare: (line: string) => string): string =>
  comment === ''
    ? ''
    : `${comment
        .split('\n')
        .map(line => commentLine(line, bare))
        .join('\n')}\n`

const commentLine = (line: string, bare: (line: string) => string): string =>
  /^[#;]/.test(line) ? `${line[0]} ${trimSpace(line.slice(1))}` : `; ${bare(line)}`

/** In bytes; quotes count towards the length. */
const writtenLength = (name: string): number => Buffer.byteLength(quoteName(name))

const quoteName = (name: string): string => {
  if (/["=:]/.test(name)) return `\`${name}\``
  return name.includes('`') ? `"""${name}"""` : name
}

const writeKey = ({ name, value, comment }: Key, width: number): string => {
  const lead = `${writeComment(comment, trimSpace)}${quoteName(name)}${' '.repeat(width - writtenLength(name))} = `
  const quote = quoteFor(value.toString())
  return `${latin1(lead)}${quote}${value.toString('latin1')}${quote}\n`
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

const quoteFor = (value: string): string => {
  if (/[\n`]/.test(value)) return '"""'
  if (/[#;]/.test(value)) return '`'
  return trimSpace(value) === value ? '' : '"'
}
