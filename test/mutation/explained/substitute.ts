import type { Explanation } from '../explanation.ts'

export const explained: readonly Explanation[] = [
  {
    file: 'substitute/glob.ts',
    line: 'const ranges: [low: number, high: number][] = []',
    change: '[] → ["Stryker was here"]',
    why: 'a range of two letters where numbers belong holds no character: no comparison with them is true',
  },
  {
    file: 'substitute/glob.ts',
    line: 'if (reached.size === 0) break',
    change: 'reached.size === 0 → false',
    why: 'from nowhere nothing is reached any more: going on only takes longer',
  },
  {
    file: 'substitute/parse-template.ts',
    line: "if (character === '$' && this.sees('${')) break",
    change: "character === '$' → true",
    why: 'spares most characters the search for two',
  },
  {
    file: 'substitute/parse-template.ts',
    line: "if ((character === '$' || character === '\\\\') && escapes?.some(pair => this.sees(pair))) {",
    change: "character === '$' || character === '\\\\' → true",
    why: 'all escapes begin so: it spares the other characters the search for them',
  },
]
