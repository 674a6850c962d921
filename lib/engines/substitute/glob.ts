/** One element of a pattern. */
type Element = 'any run' | ((character: string) => boolean)

/**
 * The lengths, in characters, of the shortest and longest non-empty prefix of a text that a shell pattern (`*`, `?`, `[a-z]`, `[^a]`,
 * `\x`) matches; undefined if none matches or the pattern is malformed. Takes time proportional to text times pattern.
 */
export const matchingPrefixes = (
  pattern: string,
  text: readonly string[],
): { readonly shortest: number; readonly longest: number } | undefined => {
  const elements = parsePattern([...pattern])
  if (!elements) return undefined
  let reached = skipStars(elements, new Set([0]))
  let shortest: number | undefined
  let longest = 0
  for (const [index, character] of text.entries()) {
    reached = skipStars(elements, step(elements, reached, character))
    if (reached.size === 0) break
    if (!reached.has(elements.length)) continue
    shortest ??= index + 1
    longest = index + 1
  }
  return shortest === undefined ? undefined : { shortest, longest }
}

/** The reachable positions in the pattern after one more character. */
const step = (elements: readonly Element[], reached: ReadonlySet<number>, character: string): Set<number> => {
  const next = new Set<number>()
  for (const place of reached) {
    const element = elements[place]
    if (element === 'any run') next.add(place)
    else if (element?.(character)) next.add(place + 1)
  }
  return next
}

/** A run may be empty. Adding to a set during iteration extends the iteration. */
const skipStars = (elements: readonly Element[], reached: Set<number>): Set<number> => {
  for (const place of reached) if (elements[place] === 'any run') reached.add(place + 1)
  return reached
}

const parsePattern = (pattern: readonly string[]): readonly Element[] | undefined => {
  const elements: Element[] = []
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at++]!
    if (character === '*') elements.push('any run')
    else if (character === '?') elements.push(() => true)
    else if (character === '[') {
      const found = parseClass(pattern, at)
      if (!found) return undefined
      elements.push(found.matches)
      at = found.end
    } else {
      // A trailing backslash has no character after it, and matches none.
      const literal = character === '\\' ? pattern[at++] : character
      elements.push(other => other === literal)
    }
  }
  return elements
}

/** The content of `[...]`: at least one range. */
const parseClass = (pattern: readonly string[], start: number) => {
  let at = start
  const isNegated = pattern[at] === '^'
  if (isNegated) at++
  const bound = (): number | undefined => {
    if (pattern[at] === '-' || pattern[at] === ']') return undefined
    if (pattern[at] === '\\') at++
    return pattern[at++]?.codePointAt(0)
  }
  const ranges: [low: number, high: number][] = []
  do {
    const low = bound()
    if (low === undefined) return undefined
    const hasHigh = pattern[at] === '-'
    if (hasHigh) at++
    const high = hasHigh ? bound() : low
    if (high === undefined) return undefined
    ranges.push([low, high])
  } while (pattern[at] !== ']')
  const matches = (character: string): boolean => {
    const code = character.codePointAt(0)!
    return ranges.some(([low, high]) => low <= code && code <= high) !== isNegated
  }
  return { matches, end: at + 1 }
}
