import { withWholeCharacters } from '../values/text.ts'
import { lower, lowerOf, upperOf } from './letter-case.ts'

/** Letters except ideographs. */
const LETTER = '[[\\p{L}]--[\\u4e00-\\u9fcc\\u3400-\\u4d85\\u{20000}-\\u{2b81d}]]'
const SMALL = `[${LETTER}--[\\p{Lu}]]`
const CONNECTOR = '[\\-_\\p{White_Space}]'

/** What Go decodes as U+FFFD: invalid bytes, and the character itself. xstrings skips it: it is part of the next character or, at the end, of the last. */
const SKIPPED = '[\\ufffd\\u{dc80}-\\u{dcff}]'
const unit = (character: string): string => `(?:${SKIPPED}*${character})`

const UPPER = unit('\\p{Lu}')
const KINDS = {
  connector: `${unit(CONNECTOR)}+`,
  punctuation: `${unit('\\p{P}')}+`,
  // HTTPStatus is HTTP and Status.
  upper: `${UPPER}+(?=${UPPER}${unit(SMALL)})|${UPPER}{2,}|${UPPER}${unit(SMALL)}*`,
  small: `${unit(SMALL)}+`,
  number: `${unit('\\p{N}')}+`,
  other: `${unit(`[^${CONNECTOR}${LETTER}\\p{N}\\p{P}${SKIPPED}]`)}+`,
}
const WORD = new RegExp(
  `(?:${Object.entries(KINDS)
    .map(([kind, pattern]) => `(?<${kind}>${pattern})`)
    .join('|')})(?:${SKIPPED}+$)?`,
  'gv',
)
const IS_SKIPPED = new RegExp(`^${SKIPPED}*$`, 'v')
const IS_CONNECTOR = new RegExp(`^${CONNECTOR}$`, 'v')

interface Word {
  readonly kind: string
  readonly text: string
}
const END: Word = { kind: 'end', text: '' }

const wordsOf = (text: string): Word[] =>
  [...text.matchAll(WORD)].map(match => ({
    kind: Object.keys(KINDS).find(kind => match.groups![kind] !== undefined)!,
    text: match[0],
  }))

const isSeparate = ({ kind }: Word): boolean => kind === 'punctuation' || kind === 'connector'
const mayFollowNumber = ({ kind }: Word): boolean => kind === 'small' || kind === 'number'

/**
 * Converts an identifier in any style (HTTPServer, go_path, Go-Path, "go path") to lower-case words with a connector between them, as the
 * library xstrings does: the characters before a number decide whether the number is a word of its own.
 */
export const connectedWords = (text: string, connector: string): string => {
  if (IS_SKIPPED.test(text)) return text
  const words = wordsOf(withWholeCharacters(text))
  let at = 0
  let out = ''
  const take = (): Word => words[at++] ?? END
  const isLast = () => at >= words.length
  const write = (word: Word): void => {
    if (word.kind === 'connector') out += word.text.toWellFormed().replaceAll(/[^\ufffd]/g, connector)
    else out += word.kind === 'upper' ? lower(word.text) : word.text
  }
  const writeAttached = (first: Word): Word => {
    let next = first
    while (mayFollowNumber(next)) {
      write(next)
      next = take()
    }
    if (next !== END && !isSeparate(next)) out += connector
    return next
  }
  let word = take()
  while (!isLast()) {
    if (word.kind !== 'connector') write(word)
    const before = word
    word = take()
    if (before.kind === 'number') word = writeAttached(word)
    else if (before.kind === 'connector') write(before)
    else if (before.kind !== 'punctuation') {
      if (word.kind !== 'number') out += isSeparate(word) ? '' : connector
      else if (!isLast()) {
        const number = word
        word = take()
        if (word.kind === 'small') {
          out += connector
          write(number)
          word = writeAttached(word)
        } else {
          write(number)
          if (!isSeparate(word)) out += connector
        }
      }
    }
  }
  write(word)
  return out
}

const isUpper = (character: string): boolean => /\p{Lu}/u.test(character)

/** PascalCase as in xstrings. Removes one connector between words, and keeps those at both ends. */
export const pascalCase = (text: string): string => {
  const characters = [...text.toWellFormed()]
  const start = characters.findIndex(character => !IS_CONNECTOR.test(character))
  // For a text of only connectors, the last one is doubled.
  if (start < 0) return text + (characters.at(-1) ?? '')
  let out = characters.slice(0, start).join('')
  let wasUpper = isUpper(characters[start]!)
  let current = upperOf(characters[start]!)
  for (const character of characters.slice(start + 1)) {
    const before = current
    current = character
    const followsConnector = IS_CONNECTOR.test(before)
    if (followsConnector && IS_CONNECTOR.test(current)) out += before
    else if (followsConnector) {
      wasUpper = isUpper(current)
      current = upperOf(current)
    } else {
      if (wasUpper && isUpper(current)) current = lowerOf(current)
      else wasUpper = false
      out += before
    }
  }
  return out + current
}
