/** Matches one name of a path (no slash). */
export type NameMatcher = (name: string) => boolean

/**
 * Compiles a shell pattern as Go's `path/filepath.Match` reads it: `*`, `?`, `[a-z]`, `[^a-z]`, `\` before a literal.
 * A malformed pattern matches nothing. Matching takes at most pattern length x name length steps.
 */
export const compileGlob = (pattern: string): NameMatcher => {
  if (isLiteral(pattern)) return name => name === pattern
  const ending = pattern.slice(1)
  if (pattern.startsWith('*') && isLiteral(ending)) return name => name.endsWith(ending)
  const tokens = tokenize(pattern)
  return tokens ? name => matches(tokens, [...name]) : () => false
}

/** Whether a pattern is well-formed: Go's `path.Match` fails for others. */
export const isGlob = (pattern: string): boolean => {
  const isUnfinished = /(?<!\\)(?:\\\\)*\\$/.test(pattern)
  return !isUnfinished && tokenize(pattern) !== undefined
}

/** Whether a name matches any of the patterns. Fast for many names, as most patterns are literal names or endings. */
export const compileGlobs = (patterns: readonly string[]): NameMatcher => {
  const names = new Set(patterns.filter(isLiteral))
  const endings = patterns.filter(isEnding).map(pattern => pattern.slice(1))
  const lastUnits = new Set(endings.map(ending => ending.charCodeAt(ending.length - 1)))
  const others = patterns.filter(pattern => !isLiteral(pattern) && !isEnding(pattern)).map(compileGlob)
  return name =>
    names.has(name) ||
    (lastUnits.has(name.charCodeAt(name.length - 1)) && endings.some(ending => name.endsWith(ending))) ||
    others.some(matches => matches(name))
}

/** `*.jpg`, but not `*` alone. */
const isEnding = (pattern: string): boolean =>
  pattern.length > 1 && pattern.startsWith('*') && isLiteral(pattern.slice(1))

const isLiteral = (pattern: string): boolean => !/[*?[\\]/.test(pattern)

type Token = typeof anything | ((character: string) => boolean)
const anything = Symbol('*')

const tokenize = (pattern: string): readonly Token[] | undefined => {
  const characters = [...pattern]
  const tokens: Token[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    if (character === '*') {
      tokens.push(anything)
    } else if (character === '?') {
      tokens.push(() => true)
    } else if (character === '[') {
      const set = readSet(characters, at + 1)
      if (!set) return undefined
      tokens.push(set.contains)
      at = set.end
    } else {
      // A trailing backslash has no character after it, and matches none.
      const literal = character === '\\' ? characters[++at] : character
      tokens.push(other => other === literal)
    }
  }
  return tokens
}

/** Reads `abc-z]` after an opening bracket; `end` is the position of the closing one. */
const readSet = (characters: readonly string[], start: number) => {
  let at = start
  const negated = characters[at] === '^'
  if (negated) at++
  const ranges: [string, string][] = []
  const readBound = (): string | undefined => {
    const character = characters[at++]
    if (character === '-' || character === ']') return undefined
    return character === '\\' ? characters[at++] : character
  }
  while (characters[at] !== ']' || ranges.length === 0) {
    const low = readBound()
    if (low === undefined) return undefined
    let high: string | undefined = low
    if (characters[at] === '-') {
      at++
      high = readBound()
      if (high === undefined) return undefined
    }
    ranges.push([low, high])
  }
  const contains = (character: string) => {
    const point = character.codePointAt(0)!
    return ranges.some(([low, high]) => low.codePointAt(0)! <= point && point <= high.codePointAt(0)!) !== negated
  }
  return { contains, end: at }
}

/** Greedy: on a mismatch only the last `*` needs to take one more character. */
const matches = (tokens: readonly Token[], characters: readonly string[]): boolean => {
  let token = 0
  let at = 0
  let star = -1
  let starAt = 0
  while (at < characters.length) {
    const current = tokens[token]
    if (current === anything) {
      star = token++
      starAt = at
    } else if (current?.(characters[at]!)) {
      token++
      at++
    } else if (star >= 0) {
      token = star + 1
      at = ++starAt
    } else {
      return false
    }
  }
  while (tokens[token] === anything) token++
  return token === tokens.length
}
