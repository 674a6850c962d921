const WORD = /[\p{L}\p{Nd}_]/u
const BASES = [
  { prefix: /[xX]/, digits: /[0-9a-fA-F_]/, exponent: /[pP]/ },
  { prefix: /[oO]/, digits: /[0-7_]/, exponent: undefined },
  { prefix: /[bB]/, digits: /[01_]/, exponent: undefined },
]
const DECIMAL = { digits: /[0-9_]/, exponent: /[eE]/ }

export interface NumberEnd {
  /** The end of the number, or of the character that makes it invalid. */
  readonly end: number
  readonly isWellFormed: boolean
  /** With a real and an imaginary part: 1+2i. */
  readonly isComplex: boolean
}

/** The extent of a number, as permissive as in Go's lexer: the parser checks it later. */
export const endOfNumber = (text: string, start: number): NumberEnd => {
  const first = scanPart(text, start)
  if (!first.isWellFormed || !/[+-]/.test(text.charAt(first.end))) return { ...first, isComplex: false }
  const second = scanPart(text, first.end)
  return { end: second.end, isWellFormed: second.isWellFormed && text[second.end - 1] === 'i', isComplex: true }
}

const scanPart = (text: string, start: number): { end: number; isWellFormed: boolean } => {
  let at = start
  const accept = (pattern: RegExp): boolean => {
    if (!pattern.test(text.charAt(at))) return false
    at++
    return true
  }
  const acceptRun = (pattern: RegExp): void => {
    while (pattern.test(text.charAt(at))) at++
  }
  accept(/[+-]/)
  const base = (accept(/0/) && BASES.find(({ prefix }) => accept(prefix))) || DECIMAL
  acceptRun(base.digits)
  if (accept(/\./)) acceptRun(base.digits)
  if (base.exponent && accept(base.exponent)) {
    accept(/[+-]/)
    acceptRun(/[0-9_]/)
  }
  accept(/i/)
  const next = String.fromCodePoint(text.codePointAt(at) ?? 0x20)
  return WORD.test(next) ? { end: at + next.length, isWellFormed: false } : { end: at, isWellFormed: true }
}
