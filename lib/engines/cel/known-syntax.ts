/** What cel-go's parser reads and the library's does not, written in a way that it does; and what it refuses, refused. */

/** The name of the function that stands for `?` in list and map literals, which the parser does not know. */
export const optionalEntry = 'optional_entry__'

/**
 * Writes an expression for the library's parser:
 * - `[?a, b]` as `[optional_entry__(a), b]`, and `{?'k': v}` as `{optional_entry__('k'): v}`
 * - raw strings with escapes, and in bytes, other characters than ASCII as the bytes that they are in UTF-8
 * - names without a dot before them, which means what is outermost: all names are; fractions with a digit before their dot
 * - what comes behind two equal signs without them
 * - `(a == b) < c` for `a == b < c`
 *
 * Fails for a choice within a choice that is in no brackets, and for signs and dots that are before nothing that takes them.
 */
export const inKnownSyntax = (text: string): string => {
  const tokens = Array.from(text.matchAll(tokenForm), ([token]) => token)
  return [withGroupedRelations, withoutDoubledSigns, withoutOuterDots, withMarkedEntries]
    .reduce<readonly string[]>((written, write) => write(written), tokens)
    .map(token => (/["']/.test(token) ? inKnownEscapes(token) : token.replace('\f', ' ')))
    .join('')
}

const tokenForm =
  /\/\/[^\n]*|[bB]?(?:[rR]("""|'''|"|')[\s\S]*?\1|("""|'''|"|')(?:\\.|[^\\])*?\2)|[A-Za-z_]\w*|\.\d|[\s\S]/g

const isBlank = (token: string): boolean => token.startsWith('//') || !token.trim()

/** Whether steps can be taken from what a token ends; what comes after a dot is left to the parser. */
const isOperand = (token: string): boolean => token !== 'in' && /[\w)\]}"'.]/.test(token)

/** Each token, with the last one before it that is no blank. */
function* inContext(tokens: readonly string[]): Generator<readonly [token: string, before: string]> {
  let before = ''
  for (const token of tokens) {
    yield [token, before]
    if (!isBlank(token)) before = token
  }
}

/** Relations are of one rank, and read from the left: of several, those that the library reads first get what is before them in brackets. */
const withGroupedRelations = (tokens: readonly string[]): readonly string[] => {
  const written = tokens.map(token => [token])
  /** By bracket, where what is related begins. */
  const parts = [related(0)]
  for (const [at, [token, before]] of [...inContext(tokens)].entries()) {
    if (opening.has(token)) parts.push(related(at + 1))
    else if (closing.has(token)) parts.pop()
    else if (before !== '.' && separating.has(token)) parts.splice(-1, 1, related(at + 1))
    else if (relating.has(token)) {
      // Where more is closed than opened, the library says so.
      const part = parts.at(-1) ?? related(0)
      if (part.isRelated && token !== '=') {
        written[part.from]!.unshift('(')
        written[at]!.unshift(')')
      }
      part.isRelated = true
    }
  }
  return written.flat()
}

const related = (from: number) => ({ from, isRelated: false })

const opening: ReadonlySet<string> = new Set(['(', '[', '{'])
const closing: ReadonlySet<string> = new Set([')', ']', '}'])
const separating: ReadonlySet<string> = new Set([',', ':', '?', '&', '|'])
const relating: ReadonlySet<string> = new Set(['=', '<', '>', 'in'])

/** `--x` is `x`, whatever that is, and so is `!!x`: cel-go counts signs. */
const withoutDoubledSigns = (tokens: readonly string[]): readonly string[] => {
  const kept: string[] = []
  /** Where the sign is that is left of those before something. */
  let at = -1
  let last = ''
  /** Whether a minus has come behind `!`: then it is that of a number. */
  let isMixed = false
  for (const [token, before] of inContext(tokens)) {
    kept.push(token)
    if (isBlank(token)) continue
    if (isMixed && !/^[\d.]/.test(token)) throw new Error('"-" behind "!" must be that of a number')
    const sign = (token === '-' || token === '!') && !isOperand(before) ? token : ''
    isMixed = last !== '' && sign !== '' && sign !== last
    if (isMixed && token === '!') throw new Error('"!" can\'t stand behind "-"')
    last = sign
    if (kept[at] === token) {
      kept[at] = ''
      kept.pop()
      at = -1
    } else at = sign ? kept.length - 1 : -1
  }
  return kept
}

const withoutOuterDots = (tokens: readonly string[]): readonly string[] => {
  let isOutermost = false
  return Array.from(inContext(tokens), ([token, before]) => {
    if (isOutermost && !isBlank(token)) {
      if (!/^(?!(?:true|false|null|in)$)[A-Za-z_]\w*$/.test(token))
        throw new Error(`a name is missing between "." and ${JSON.stringify(token)}`)
      isOutermost = false
    }
    if (!token.startsWith('.') || isOperand(before)) return token
    isOutermost = token === '.'
    return isOutermost ? '' : `0${token}`
  })
}

interface Bracket {
  /** Of a list or map that is written down, not of an index or a call. */
  readonly isLiteral: boolean
  /** Whether an entry with a question mark is open. */
  isMarked: boolean
  /** Whether a choice (`a ? b : c`) has come no further than its question mark. */
  isChoosing: boolean
}

const bracket = (isLiteral: boolean): Bracket => ({ isLiteral, isMarked: false, isChoosing: false })

/** A question mark behind `[`, `{` or `,` is no operator; the index `a[?b]` stays as it is. */
const withMarkedEntries = (tokens: readonly string[]): readonly string[] => {
  const open = [bracket(false)]
  return Array.from(inContext(tokens), ([token, before]) => {
    const inner = open.at(-1) ?? bracket(false)
    const closed = (): string => {
      if (!inner.isMarked) return token
      if (before === '?') throw new Error(`an entry is missing between "?" and "${token}"`)
      inner.isMarked = false
      return `)${token}`
    }
    switch (token) {
      case '?':
        if (inner.isLiteral && ['[', '{', ','].includes(before)) {
          inner.isMarked = true
          return `${optionalEntry}(`
        }
        if (before === '.' || before === '[') return token
        if (inner.isChoosing) throw new Error('a choice within a choice needs brackets')
        inner.isChoosing = true
        return token
      case ':':
        if (!inner.isChoosing) return closed()
        inner.isChoosing = false
        return token
      case ',':
        return closed()
      case '(':
      case '[':
      case '{':
        open.push(bracket(!isOperand(before)))
        return token
      case ')':
      case ']':
      case '}':
        if (token === ')' && before === ',') throw new Error('an argument is missing between "," and ")"')
        open.pop()
        return closed()
      default:
        return token
    }
  })
}

const inKnownEscapes = (string: string): string => {
  const escaped = /^b?r/i.test(string) ? string.replace(/r/i, '').replaceAll('\\', '\\\\') : string
  if (!/^b/i.test(escaped)) return escaped
  return escaped.replace(/\\.|\P{ASCII}/gsu, part =>
    part.startsWith('\\') ? part : [...Buffer.from(part)].map(byte => `\\x${byte.toString(16)}`).join(''),
  )
}
