/**
 * Patterns of `.Files.Glob`, in the language of gobwas/glob with `/` between parts: `*` and `?` stay within a part, `**` crosses them,
 * `[abc]`, `[a-z]`, `[!a]` and `{one,two}`. An invalid pattern matches everything, as in Helm.
 */
export const compileFileGlob = (pattern: string): ((path: string) => boolean) => {
  let root: Part[]
  try {
    root = parseGlob(pattern)
  } catch {
    return () => true
  }
  return path => {
    const characters = [...path]
    return matchParts(root, characters, new Set([0])).has(characters.length)
  }
}

type Part =
  | { readonly type: 'text'; readonly character: string }
  | { readonly type: 'one' }
  | { readonly type: 'many'; readonly crosses: boolean }
  | { readonly type: 'set'; readonly negated: boolean; readonly has: (character: string) => boolean }
  | { readonly type: 'choice'; readonly branches: readonly Part[][] }

/** All positions in the path that the next parts of the pattern can reach from a set of positions: tracking the set avoids exponential backtracking. */
const matchParts = (
  parts: readonly Part[],
  path: readonly string[],
  from: ReadonlySet<number>,
): ReadonlySet<number> => {
  let places = from
  for (const part of parts) places = matchPart(part, path, places)
  return places
}

const matchPart = (part: Part, path: readonly string[], from: ReadonlySet<number>): ReadonlySet<number> => {
  if (part.type === 'choice') return new Set(part.branches.flatMap(branch => [...matchParts(branch, path, from)]))
  const to = new Set<number>()
  if (part.type === 'many') {
    for (const start of from) {
      for (let place = start; !to.has(place); place++) {
        to.add(place)
        if (place === path.length || (!part.crosses && path[place] === '/')) break
      }
    }
    return to
  }
  for (const place of from) if (place < path.length && takes(part, path[place]!)) to.add(place + 1)
  return to
}

const takes = (part: Exclude<Part, { type: 'many' | 'choice' }>, character: string): boolean => {
  if (part.type === 'text') return part.character === character
  if (part.type === 'one') return character !== '/'
  return part.has(character) !== part.negated
}

const parseGlob = (pattern: string): Part[] => {
  const characters = [...pattern]
  let position = 0
  const bad = (): never => {
    throw new Error('syntax error in glob pattern')
  }
  const parseSet = (): Part => {
    const negated = characters[position] === '!'
    if (negated) position++
    const text: string[] = []
    while (characters[position] !== ']') {
      if (position >= characters.length) bad()
      if (characters[position] === '\\') position++
      text.push(characters[position++] ?? bad())
    }
    position++
    if (text.length === 0) bad()
    if (text.length === 3 && text[1] === '-') {
      const [low, high] = [text[0]!, text[2]!]
      if (high < low) bad()
      return { type: 'set', negated, has: character => character >= low && character <= high }
    }
    return { type: 'set', negated, has: character => text.includes(character) }
  }
  const parseChoice = (): Part => {
    const branches: Part[][] = []
    for (;;) {
      branches.push(parseParts(true))
      const end = characters[position++]
      if (end === '}') return { type: 'choice', branches }
      if (end !== ',') bad()
    }
  }
  const parseParts = (inside: boolean): Part[] => {
    const parts: Part[] = []
    while (position < characters.length) {
      const character = characters[position]!
      if (inside && (character === ',' || character === '}')) return parts
      position++
      if (character === '*') {
        const crosses = characters[position] === '*'
        while (characters[position] === '*') position++
        parts.push({ type: 'many', crosses })
      } else if (character === '?') parts.push({ type: 'one' })
      else if (character === '[') parts.push(parseSet())
      else if (character === '{') parts.push(parseChoice())
      else if (character === '\\') parts.push({ type: 'text', character: characters[position++] ?? bad() })
      else parts.push({ type: 'text', character })
    }
    return inside ? bad() : parts
  }
  return parseParts(false)
}
