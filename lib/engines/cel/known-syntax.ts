/** Rewrites what cel-go's parser accepts and the library's does not; refuses what cel-go refuses. */

/** The function that replaces `?` in list and map literals, which the library's parser does not know. */
export const optionalEntry = 'optional_entry__'

/**
 * Rewrites an expression for the library's parser:
 * - `[?a, b]` as `[optional_entry__(a), b]`, and `{?'k': v}` as `{optional_entry__('k'): v}`
 * - raw strings with escapes, and in bytes, non-ASCII characters as their UTF-8 bytes
 * - a leading dot, which means the outermost scope, is dropped: all names are there; fractions get a digit before their dot
 * - `--x` and `!!x` as `x`
 * - `a == b < c` as `(a == b) < c`
 *
 * Fails for a conditional nested in another without brackets, and for operators and dots without an operand.
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

/** Whether a token ends an operand; the parser checks what comes after a dot. */
const isOperand = (token: string): boolean => token !== 'in' && /[\w)\]}"'.]/.test(token)

/** Each token, with the last non-blank one before it. */
function* inContext(tokens: readonly string[]): Generator<readonly [token: string, before: string]> {
  let before = ''
  for (const token of tokens) {
    yield [token, before]
    if (!isBlank(token)) before = token
  }
}

/** All relations have the same rank and are left-associative: adds brackets where the library would read a later one first. */
const withGroupedRelations = (tokens: readonly string[]): readonly string[] => {
  const written = tokens.map(token => [token])
  /** The start of the current relation, per open bracket. */
  const parts = [related(0)]
  for (const [at, [token, before]] of [...inContext(tokens)].entries()) {
    if (opening.has(token)) parts.push(related(at + 1))
    else if (closing.has(token)) parts.pop()
    else if (before !== '.' && separating.has(token)) parts.splice(-1, 1, related(at + 1))
    else if (relating.has(token)) {
      // The library reports unbalanced closing brackets.
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

/** `--x` is `x`, whatever its type, and so is `!!x`: cel-go counts the signs. */
const withoutDoubledSigns = (tokens: readonly string[]): readonly string[] => {
  const kept: string[] = []
  /** The position of the sign that remains of a run. */
  let at = -1
  let last = ''
  /** Whether a minus followed `!`: it must be the sign of a number. */
  let isMixed = false
  for (const [token, before] of inContext(tokens)) {
    kept.push(token)
    if (isBlank(token)) continue
    if (isMixed && !/^[\d.]/.test(token)) throw new Error('"-" after "!" must be the sign of a number')
    const sign = (token === '-' || token === '!') && !isOperand(before) ? token : ''
    isMixed = last !== '' && sign !== '' && sign !== last
    if (isMixed && token === '!') throw new Error('"!" can\'t follow "-"')
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
  /** A list or map literal, not an index or a call. */
  readonly isLiteral: boolean
  /** Whether an entry with a question mark is open. */
  isMarked: boolean
  /** Whether a conditional (`a ? b : c`) is still before its colon. */
  isChoosing: boolean
}

const bracket = (isLiteral: boolean): Bracket => ({ isLiteral, isMarked: false, isChoosing: false })

/** A question mark after `[`, `{` or `,` is not an operator; the index `a[?b]` stays as it is. */
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
