/** What cel-go's parser reads and the library's does not, written in a way that it does. */

/** The name of the function that stands for `?` in list and map literals, which the parser does not know. */
export const optionalEntry = 'optional_entry__'

const tokens =
  /\/\/[^\n]*|[bB]?(?:[rR]("""|'''|"|')[\s\S]*?\1|("""|'''|"|')(?:\\.|[^\\])*?\2)|[A-Za-z_]\w*|\.\d|[\s\S]/g

interface Bracket {
  /** Of a list or map that is written down, not of an index or a call. */
  readonly isLiteral: boolean
  /** Whether an entry with a question mark is open, and how many choices (`a ? b : c`) within it. */
  isMarked: boolean
  choices: number
}

/**
 * Writes `[?a, b]` as `[optional_entry__(a), b]`, and `{?'k': v}` as `{optional_entry__('k'): v}`: a question mark that
 * follows `[`, `{` or `,` is no operator; the index `a[?b]` stays as it is. Raw strings are written with escapes, and in
 * bytes, other characters than ASCII as the bytes that they are in UTF-8. A dot before all names means what is outermost,
 * which all names are, and before digits a fraction.
 */
export const inKnownSyntax = (text: string): string => {
  let before = ''
  const open: Bracket[] = []
  const closeMark = (): string => {
    const inner = open.at(-1)
    if (!inner?.isMarked) return ''
    inner.isMarked = false
    return ')'
  }
  let written = ''
  for (const [token] of text.matchAll(tokens)) {
    const inner = open.at(-1)
    if (token === '?' && inner?.isLiteral && ['[', '{', ','].includes(before)) {
      Object.assign(inner, { isMarked: true, choices: 0 })
      written += `${optionalEntry}(`
    } else if (token === '?') {
      if (inner && before !== '.') inner.choices++
      written += token
    } else if (token === ':' && inner?.choices) {
      inner.choices--
      written += token
    } else if (token === ',' || token === ':') written += closeMark() + token
    else if (token === '[' || token === '{' || token === '(') {
      open.push({ isLiteral: !isOperand(before), isMarked: false, choices: 0 })
      written += token
    } else if (token === ']' || token === '}' || token === ')') {
      written += closeMark() + token
      open.pop()
    } else if (token.startsWith('.') && !isOperand(before)) written += token === '.' ? '' : `0${token}`
    else written += /["']/.test(token) ? inKnownEscapes(token) : token.replace('\f', ' ')
    if (token.trim() && !token.startsWith('//')) before = token
  }
  return written
}

/** Whether steps can be taken from what a token ends; what comes after a dot is left to the parser. */
const isOperand = (token: string): boolean => token !== 'in' && /[\w)\]}"'.]/.test(token)

const inKnownEscapes = (string: string): string => {
  const escaped = /^b?r/i.test(string) ? string.replace(/r/i, '').replaceAll('\\', '\\\\') : string
  if (!/^b/i.test(escaped)) return escaped
  return escaped.replace(/\\.|\P{ASCII}/gsu, part =>
    part.startsWith('\\') ? part : [...Buffer.from(part)].map(byte => `\\x${byte.toString(16)}`).join(''),
  )
}
