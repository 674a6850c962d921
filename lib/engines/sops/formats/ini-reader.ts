import { trimSpace, trimSpaceLeft } from '../../../foundations/go/white-space.ts'
import { SopsError } from '../sops-error.ts'
import { Branch, Comment, commentItem, type Item } from '../tree.ts'

/** Reads the sections of an INI file with their comments, the unnamed one first as `DEFAULT`. Fails with SopsError. */
export const readIni = (text: string): Branch => {
  const lines = text.replace(/^\ufeff/, '').split(/(?<=\n)/)
  const sections: Section[] = [{ name: 'DEFAULT', comment: '', keys: new Map() }]
  let comment = ''
  let count = 1
  const take = (): string => {
    const taken = trimSpace(comment)
    comment = ''
    return taken
  }
  for (let at = 0; at < lines.length; at++) {
    const line = trimSpaceLeft(lines[at]!)
    if (line === '') continue
    if (/^[#;]/.test(line)) comment += line
    else if (line.startsWith('[')) {
      const header = /\[(.+)\](.*)/s.exec(line)
      if (!header) throw malformed(at, 'the name of a section is not well formed')
      comment += commentIn(header[2]!)
      sections.push({ name: header[1]!, comment: take(), keys: new Map() })
      count = 1
    } else {
      const { name, offset } = readName(line, at)
      const value = readValue(line.slice(offset), lines, at)
      at = value.at
      comment += value.comment
      const key = name === '-' ? `#${count++}` : name
      sections.at(-1)!.keys.set(key, { value: value.text, comment: take() })
    }
  }
  return new Branch(sections.map(({ name, comment, keys }) => ({ key: name, value: toBranch(comment, keys) })))
}

interface Section {
  readonly name: string
  readonly comment: string
  readonly keys: Map<string, { readonly value: string; readonly comment: string }>
}

const toBranch = (comment: string, keys: Section['keys']): Branch =>
  new Branch([
    ...commentsOf(comment),
    ...[...keys].flatMap(([key, entry]) => [{ key, value: entry.value }, ...commentsOf(entry.comment)]),
  ])

const commentsOf = (comment: string): Item[] =>
  comment === '' ? [] : [commentItem(new Comment(comment.replace(/;[; ]*|#[# ]*/, '')))]

const commentIn = (text: string): string => /[#;].*/s.exec(text)?.[0] ?? ''

const readName = (line: string, at: number): { name: string; offset: number } => {
  const quote = /^(?:"""|"|`)/.exec(line)?.[0] ?? ''
  const close = line.indexOf(quote, quote.length)
  if (close < 0) throw malformed(at, 'a quoted key is not closed')
  const delimiter = line.slice(close).search(/[=:]/)
  if (delimiter < 0) throw malformed(at, 'missing = or :')
  const name = trimSpace(line.slice(quote.length, quote === '' ? delimiter : close))
  if (name === '') throw malformed(at, 'missing key')
  return { name, offset: close + delimiter + 1 }
}

interface Value {
  readonly text: string
  readonly comment: string
  /** The last line of the value. */
  readonly at: number
}

const readValue = (rest: string, lines: readonly string[], at: number): Value => {
  const line = trimSpaceLeft(rest)
  const quote = line.length > 3 && line.startsWith('"""') ? '"""' : line.startsWith('`') ? '`' : ''
  if (quote !== '') {
    const close = line.slice(quote.length).lastIndexOf(quote)
    if (close < 0) return readMultiline(line.slice(quote.length), quote, lines, at)
    return { text: line.slice(quote.length, quote.length + close), comment: '', at }
  }
  const trimmed = trimSpace(line)
  if (trimmed.endsWith('\\')) return readContinued(trimmed.slice(0, -1), lines, at)
  const comment = commentIn(trimmed)
  const text = trimSpace(trimmed.slice(0, trimmed.length - comment.length))
  const quoted = /^'([^']*)'$/s.exec(text) ?? /^"([^"]*)"$/s.exec(text)
  return { text: quoted?.[1] ?? text, comment, at }
}

const readMultiline = (start: string, quote: string, lines: readonly string[], from: number): Value => {
  let text = start
  for (let at = from + 1; at < lines.length; at++) {
    const line = lines[at]!
    const close = line.lastIndexOf(quote)
    if (close < 0 || trimSpace(line).endsWith('\\')) text += line
    else return { text: text + line.slice(0, close), comment: commentIn(line.slice(close)), at }
  }
  throw malformed(from, 'a quoted value is not closed')
}

const readContinued = (start: string, lines: readonly string[], from: number): Value => {
  let text = start
  for (let at = from + 1; at < lines.length; at++) {
    const line = trimSpace(lines[at]!)
    if (line === '') return { text, comment: '', at }
    text += line
    if (!text.endsWith('\\')) return { text, comment: '', at }
    text = text.slice(0, -1)
  }
  return { text, comment: '', at: lines.length }
}

const malformed = (at: number, problem: string): SopsError =>
  new SopsError('format', `Could not unmarshal input data: line ${at + 1}: ${problem}`)
