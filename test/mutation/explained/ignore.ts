import type { Explanation } from '../explanation.ts'

/** Literal names and endings are compared without being cut into tokens, which is faster and comes to the same. */
const quickWay = (line: string, change: string): Explanation => ({
  file: 'ignore/glob.ts',
  line,
  change,
  why: 'the way by tokens, or the quick one, gives the same answer',
})
/** The same of many patterns, which are sorted by the way that is open to them. */
const sorted = (line: string, change: string): Explanation => ({
  file: 'ignore/glob.ts',
  line,
  change,
  why: 'a name or an ending that is taken by tokens matches the same, and so does one that is taken twice',
})
const literal = 'if (isLiteral(pattern)) return name => name === pattern'
const ending = "if (pattern.startsWith('*') && isLiteral(ending)) return name => name.endsWith(ending)"
const others = 'const others = patterns.filter(pattern => !isLiteral(pattern) && !isEnding(pattern)).map(compileGlob)'
const isEnding = "pattern.length > 1 && pattern.startsWith('*') && isLiteral(pattern.slice(1))"

export const explained: readonly Explanation[] = [
  quickWay(literal, 'isLiteral(pattern) → false'),
  quickWay('const ending = pattern.slice(1)', 'pattern.slice(1) → pattern'),
  quickWay(ending, "pattern.startsWith('*') && isLiteral(ending) → false"),
  quickWay(ending, "pattern.startsWith('*') → pattern.endsWith('*')"),
  quickWay(
    'const isLiteral = (pattern: string): boolean => !/[*?[\\\\]/.test(pattern)',
    '(pattern: string): boolean => !/[*?[\\\\]/.test(pattern) → () => undefined',
  ),
  sorted(others, 'patterns.filter(pattern => !isLiteral(pattern) && !isEnding(pattern)) → patterns'),
  sorted(others, '!isLiteral(pattern) && !isEnding(pattern) → true'),
  sorted(others, '!isLiteral(pattern) && !isEnding(pattern) → !isLiteral(pattern) || !isEnding(pattern)'),
  sorted(isEnding, `${isEnding} → false`),
  sorted(isEnding, "pattern.startsWith('*') → pattern.endsWith('*')"),
  sorted(isEnding, 'pattern.slice(1) → pattern'),
  sorted(
    'const isEnding = (pattern: string): boolean =>',
    "(pattern: string): boolean => pattern.length > 1 && pattern.startsWith('*') && i… → () => undefined",
  ),
]
