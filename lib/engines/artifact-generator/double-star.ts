import { compileGlob, isGlob, type NameMatcher } from '../ignore/glob.ts'

/** Braces multiply: `{a,b}{a,b}` are four patterns. */
const MAX_ALTERNATIVES = 1_000

/** A pattern that cannot be read. The message is Go's. */
export class InvalidGlob extends Error {
  constructor(message = 'syntax error in pattern') {
    super(message)
    this.name = 'InvalidGlob'
  }
}

/** Matches a path, given as its parts. */
export type PathMatcher = (parts: readonly string[]) => boolean

/**
 * Compiles a pattern of bmatcuk/doublestar: `*`, `?`, `[a-z]`, `[^a-z]` and `[!a-z]` within a part of the path, `**` for any number of
 * parts, `{one,two}` for alternatives, which may contain `/` and braces. Fails with InvalidGlob, also for more than 1,000 alternatives, where
 * doublestar has no limit.
 */
export const compileDoubleStar = (pattern: string): PathMatcher => {
  const alternatives = alternativesOf(pattern).map(text => text.split('/').map(compilePart))
  return parts => alternatives.some(alternative => matchParts(alternative, parts))
}

const anyParts = Symbol('**')
type Part = typeof anyParts | NameMatcher

const compilePart = (part: string): Part => {
  if (part === '**') return anyParts
  const glob = part.replace(/\\.|\[!/gs, found => (found === '[!' ? '[^' : found))
  if (!isGlob(glob)) throw new InvalidGlob()
  return compileGlob(glob)
}

/** Tracks the set of places that can be reached, so that many `**` take no more than pattern length x path length steps. */
const matchParts = (pattern: readonly Part[], path: readonly string[]): boolean => {
  let places = new Set([0])
  for (const part of pattern) {
    const next = new Set<number>()
    for (const place of places) {
      if (part !== anyParts) {
        if (place < path.length && part(path[place]!)) next.add(place + 1)
      } else for (let later = place; later <= path.length && !next.has(later); later++) next.add(later)
    }
    places = next
  }
  return places.has(path.length)
}

/** A pattern without its braces: one pattern for each choice. */
const alternativesOf = (pattern: string): readonly string[] => {
  const pending = [pattern]
  const found: string[] = []
  while (pending.length > 0) {
    const text = pending.pop()!
    const brace = firstBrace(text)
    if (!brace) found.push(text)
    else pending.push(...brace.choices.map(choice => brace.before + choice + brace.after).reverse())
    if (found.length + pending.length > MAX_ALTERNATIVES)
      throw new InvalidGlob(`it has more than ${MAX_ALTERNATIVES} alternatives`)
  }
  return found
}

interface Brace {
  readonly before: string
  readonly choices: readonly string[]
  readonly after: string
}

/** The first pair of braces of a pattern, outside `[...]` and not escaped. */
const firstBrace = (pattern: string): Brace | undefined => {
  const choices: string[] = []
  let depth = 0
  let open = 0
  let start = 0
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]
    if (character === '\\') at++
    else if (character === '[') at = endOfSet(pattern, at)
    else if (character === '{' && depth++ === 0) {
      open = at
      start = at + 1
    } else if (character === ',' && depth === 1) {
      choices.push(pattern.slice(start, at))
      start = at + 1
    } else if (character === '}') {
      if (depth-- === 0) throw new InvalidGlob()
      if (depth === 0)
        return {
          before: pattern.slice(0, open),
          choices: [...choices, pattern.slice(start, at)],
          after: pattern.slice(at + 1),
        }
    }
  }
  if (depth > 0) throw new InvalidGlob()
  return undefined
}

/** The position of the bracket that closes a set. */
const endOfSet = (pattern: string, open: number): number => {
  for (let at = open + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++
    else if (pattern[at] === ']') return at
  }
  throw new InvalidGlob()
}
