import { quoteCharacter } from '../../../foundations/go/quote.ts'
import { bytesOf } from '../values/text.ts'
import type { Value, ValueMap } from '../values/value.ts'

const MAX_DEPTH = 500

/** Parses JSON as encoding/json does into an interface: all numbers are float64. Throws with its message. */
export const parseJson = (text: string): Value => {
  let at = 0
  /** The first number that overflows a float64: Go reports it at the end. */
  let tooLarge: string | undefined
  const skip = () => {
    while (/[ \t\r\n]/.test(text.charAt(at))) at++
  }
  /** At the end of the text, Go checks whether a space could have followed. */
  const fail = (context: string, followedBySpace = true): never => {
    if (at >= text.length && followedBySpace) throw new Error('unexpected end of JSON input')
    // Go reads bytes: it reports the first byte of a longer character.
    const byte = bytesOf(String.fromCodePoint(text.codePointAt(at) ?? 0x20))[0]!
    throw new Error(`invalid character ${quoteCharacter(BigInt(byte))} ${context}`)
  }
  const literal = (word: string, value: Value): Value => {
    for (let i = 1; i < word.length; i++) {
      at++
      if (text[at] !== word[i])
        fail(`in literal ${word} (expecting ${quoteCharacter(BigInt(word.charCodeAt(i)))})`, false)
    }
    at++
    return value
  }
  const string = (): string => {
    const start = at++
    while (text[at] !== '"') {
      if (text[at] === '\\') {
        at++
        if (text[at] === 'u') {
          for (let i = 0; i < 4; i++) {
            at++
            if (!/[0-9a-fA-F]/.test(text.charAt(at))) fail('in \\u hexadecimal character escape', false)
          }
        } else if (!/["\\/bfnrt]/.test(text.charAt(at))) fail('in string escape code', false)
      } else if (text.charAt(at) < ' ') fail('in string literal')
      at++
    }
    at++
    return (JSON.parse(text.slice(start, at)) as string).toWellFormed()
  }
  const digits = (context: string) => {
    if (!/[0-9]/.test(text.charAt(at))) fail(context, false)
    while (/[0-9]/.test(text.charAt(at))) at++
  }
  const number = (): number => {
    const start = at
    if (text[at] === '-') at++
    if (text[at] === '0') at++
    else digits('in numeric literal')
    if (text[at] === '.') {
      at++
      digits('after decimal point in numeric literal')
    }
    if (/[eE]/.test(text.charAt(at))) {
      at++
      if (/[+-]/.test(text.charAt(at))) at++
      digits('in exponent of numeric literal')
    }
    const value = Number(text.slice(start, at))
    if (!Number.isFinite(value))
      tooLarge ??= `json: cannot unmarshal number ${text.slice(start, at)} into Go value of type float64`
    return value
  }
  const array = (depth: number): Value[] => {
    const items: Value[] = []
    at++
    skip()
    if (text[at] === ']') {
      at++
      return items
    }
    for (;;) {
      items.push(value(depth))
      skip()
      if (text[at] === ']') break
      if (text[at] !== ',') fail('after array element')
      at++
    }
    at++
    return items
  }
  const object = (depth: number): ValueMap => {
    const map: ValueMap = new Map()
    at++
    skip()
    if (text[at] === '}') {
      at++
      return map
    }
    for (;;) {
      skip()
      if (text[at] !== '"') fail('looking for beginning of object key string')
      const key = string()
      skip()
      if (text[at] !== ':') fail('after object key')
      at++
      map.set(key, value(depth))
      skip()
      if (text[at] === '}') break
      if (text[at] !== ',') fail('after object key:value pair')
      at++
    }
    at++
    return map
  }
  const value = (depth: number): Value => {
    if (depth > MAX_DEPTH) throw new Error('exceeded max depth')
    skip()
    const c = text.charAt(at)
    if (c === '{') return object(depth + 1)
    if (c === '[') return array(depth + 1)
    if (c === '"') return string()
    if (c === 't') return literal('true', true)
    if (c === 'f') return literal('false', false)
    if (c === 'n') return literal('null', null)
    return /[-0-9]/.test(c) ? number() : fail('looking for beginning of value')
  }
  const result = value(0)
  skip()
  if (at < text.length) fail('after top-level value')
  if (tooLarge !== undefined) throw new Error(tooLarge)
  return result
}
