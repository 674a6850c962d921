import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/ignore')
const quickWay = because('the way by tokens, or the quick one, gives the same answer')
const sorted = because(
  'a name or an ending that is taken by tokens matches the same, and so does one that is taken twice',
)

const literal = 'if (isLiteral(pattern)) return name => name === pattern'
const ending = "if (pattern.startsWith('*') && isLiteral(ending)) return name => name.endsWith(ending)"
const others = 'const others = patterns.filter(pattern => !isLiteral(pattern) && !isEnding(pattern)).map(compileGlob)'
const isEnding = "pattern.length > 1 && pattern.startsWith('*') && isLiteral(pattern.slice(1))"

export const explained: readonly Explanation[] = [
  quickWay('glob.ts', literal, 'isLiteral(pattern) → false'),
  quickWay('glob.ts', 'const ending = pattern.slice(1)', 'pattern.slice(1) → pattern'),
  quickWay('glob.ts', ending, "pattern.startsWith('*') && isLiteral(ending) → false"),
  quickWay('glob.ts', ending, "pattern.startsWith('*') → pattern.endsWith('*')"),
  quickWay(
    'glob.ts',
    'const isLiteral = (pattern: string): boolean => !/[*?[\\\\]/.test(pattern)',
    '(pattern: string): boolean => !/[*?[\\\\]/.test(pattern) → () => undefined',
  ),
  sorted('glob.ts', others, 'patterns.filter(pattern => !isLiteral(pattern) && !isEnding(pattern)) → patterns'),
  sorted('glob.ts', others, '!isLiteral(pattern) && !isEnding(pattern) → true'),
  sorted('glob.ts', others, '!isLiteral(pattern) && !isEnding(pattern) → !isLiteral(pattern) || !isEnding(pattern)'),
  sorted('glob.ts', isEnding, `${isEnding} → false`),
  sorted('glob.ts', isEnding, "pattern.startsWith('*') → pattern.endsWith('*')"),
  sorted('glob.ts', isEnding, 'pattern.slice(1) → pattern'),
  sorted(
    'glob.ts',
    'const isEnding = (pattern: string): boolean =>',
    "(pattern: string): boolean => pattern.length > 1 && pattern.startsWith('*') && i… → () => undefined",
  ),
]
