/** What cel-go's parser reads and the library's does not, written in a way that it does. */

/** The name of the function that stands for `?` in list and map literals, which the parser does not know. */
export const optionalEntry = 'optional_entry__'

const tokens =
  /\/\/[^\n]*|(?:[rR]?[bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[A-Za-z_]\w*|\s+|[\s\S]/g

/**
 * Writes `[?a, b]` as `[optional_entry__(a), b]`, and `{?'k': v}` as `{optional_entry__('k'): v}`: a question mark that
 * follows `[`, `{` or `,` is no operator; the index `a[?b]` stays as it is. In bytes, other characters than ASCII are
 * written as the bytes that they are in UTF-8. A dot before all names means what is outermost, which all names are.
 */
export const inKnownSyntax = (text: string): string => {
  let before = ''
  const open: { readonly closer: string; marked: boolean; readonly isMap: boolean }[] = []
  const closeMark = (): string => {
    const inner = open.at(-1)
    if (!inner?.marked) return ''
    inner.marked = false
    return ')'
  }
  let written = ''
  for (const [token] of text.matchAll(tokens)) {
    const inner = open.at(-1)
    if (token === '?' && inner && ['[', '{', ','].includes(before) && inner.closer !== ')') {
      inner.marked = true
      written += `${optionalEntry}(`
    } else if (token === ',' || (token === ':' && inner?.isMap)) written += closeMark() + token
    else if (token === '[' || token === '{' || token === '(') {
      const isIndex = token === '[' && isOperand(before)
      open.push({ closer: isIndex || token === '(' ? ')' : token, marked: false, isMap: token === '{' })
      written += token
    } else if (token === ']' || token === '}' || token === ')') {
      written += closeMark() + token
      open.pop()
    } else if (token !== '.' || isOperand(before)) written += isBytes(token) ? withBytesEscaped(token) : token
    if (token.trim() && !token.startsWith('//')) before = token
  }
  return written
}

/** Whether steps can be taken from what ends so; what comes after a dot is left to the parser. */
const isOperand = (end: string): boolean => /[\w)\]}"'.]$/.test(end)

const isBytes = (token: string): boolean => /^br?["']/i.test(token)

const withBytesEscaped = (token: string): string => {
  const isRaw = /^br/i.test(token)
  const escaped = isRaw ? `b${token.slice(2).replaceAll('\\', '\\\\')}` : token
  return escaped.replace(/[^\x20-\x7e]+/gu, others =>
    [...Buffer.from(others)].map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  )
}
