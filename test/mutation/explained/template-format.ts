import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('template')
const infinite = because('of numbers that are infinite none is zero')
const small = because('small integers are made once for speed alone')

export const explained: readonly Explanation[] = [
  infinite(
    'format/write-toml.ts',
    "if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'",
    'value > 0 → value >= 0',
  ),
  infinite(
    'values/to-json.ts',
    "throw new Error(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`)",
    'value > 0 → value >= 0',
  ),
  ...[
    "typeof value === 'number' && value >= -1 && value < SMALL.length - 1 → false",
    "typeof value === 'number' && value >= -1 → false",
    "typeof value === 'number' → false",
    'value >= -1 → false',
    'value >= -1 → value > -1',
    'value < SMALL.length - 1 → false',
    `'number' → ""`,
  ].map(change =>
    small(
      'values/value.ts',
      "if (typeof value === 'number' && value >= -1 && value < SMALL.length - 1) return SMALL[value + 1]!",
      change,
    ),
  ),
  small(
    'values/value.ts',
    'const SMALL = Array.from({ length: 258 }, (_, i) => new Int(BigInt(i - 1)))',
    '{ length: 258 } → {}',
  ),
]
