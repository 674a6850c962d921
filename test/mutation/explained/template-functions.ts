import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('template')
const eitherEqual = because('of two equal numbers either is the greatest, and the smallest')
const kept = because('compiled expressions are kept for speed alone')

export const explained: readonly Explanation[] = [
  eitherEqual('functions/numbers.ts', 'const max = extreme((a, b) => a > b)', 'a > b → a >= b'),
  eitherEqual('functions/numbers.ts', "['min', extreme((a, b) => a < b)],", 'a < b → a <= b'),
  because('ten to the power of zero is one either way')(
    'functions/numbers.ts',
    'return places < 0 ? scaled(1 / product, -twos) : scaled(product, twos)',
    'places < 0 → places <= 0',
  ),
  kept('functions/regex.ts', 'if (known) return known', 'known → false'),
  kept('functions/regex.ts', 'compiled.set(source, expression)', 'compiled.set(source, expression) → ;'),
  ...['→ true', '→ false', '→ compiled.size > MOST_KEPT', '→ compiled.size < MOST_KEPT'].map(change =>
    kept(
      'functions/regex.ts',
      'if (compiled.size >= MOST_KEPT) compiled.clear()',
      `compiled.size >= MOST_KEPT ${change}`,
    ),
  ),
  kept('functions/regex.ts', 'if (compiled.size >= MOST_KEPT) compiled.clear()', 'compiled.clear() → ;'),
]
