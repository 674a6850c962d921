import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/substitute')

export const explained: readonly Explanation[] = [
  because('a range of two letters where numbers belong holds no character: no comparison with them is true')(
    'glob.ts',
    'const ranges: [low: number, high: number][] = []',
    '[] → ["Stryker was here"]',
  ),
  because('from nowhere nothing is reached any more: going on only takes longer')(
    'glob.ts',
    'if (reached.size === 0) break',
    'reached.size === 0 → false',
  ),
  because('spares most characters the search for two')(
    'parse-template.ts',
    "if (character === '$' && this.sees('${')) break",
    "character === '$' → true",
  ),
  because('all escapes begin so: it spares the other characters the search for them')(
    'parse-template.ts',
    "if ((character === '$' || character === '\\\\') && escapes?.some(pair => this.sees(pair))) {",
    "character === '$' || character === '\\\\' → true",
  ),
]
