import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('foundations/go')
const quick = because('the quick way for plain text comes to the same')
const infinite = because('of numbers that are infinite none is zero')

export const explained: readonly Explanation[] = [
  because('one stretch more, without bytes, adds nothing')(
    'adler32.ts',
    'for (let start = 0; start < bytes.length; start += STRETCH) {',
    'start < bytes.length → start <= bytes.length',
  ),
  because('times five to the power of zero, and shifted by nothing, are the same')(
    'decimal.ts',
    'const all = exponent < 0 ? mantissa * 5n ** BigInt(-exponent) : mantissa << BigInt(exponent)',
    'exponent < 0 → exponent <= 0',
  ),
  infinite(
    'format-float.ts',
    "const notFinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf')",
    'value > 0 → value >= 0',
  ),
  quick('quote.ts', 'const PLAIN = /^[ !#-[\\]-~]*$/', '/^[ !#-[\\]-~]*$/ → /^[ !#-[\\]-~]$/'),
  ...["const sign = nanoseconds < 0n ? '-' : ''", 'let rest = nanoseconds < 0n ? -nanoseconds : nanoseconds'].map(
    line => because('zero has been answered before')('duration.ts', line, 'nanoseconds < 0n → nanoseconds <= 0n'),
  ),
  because('what is as long as 64 bits say comes to the same')(
    'duration.ts',
    'nanoseconds < -LONGEST ? -LONGEST : nanoseconds >= LONGEST ? LONGEST - 1n : nanoseconds',
    'nanoseconds < -LONGEST → nanoseconds <= -LONGEST',
  ),
  because('of the one number that this is about, a digit less comes to the same nanoseconds in all units')(
    'duration.ts',
    'if (more > LONGEST) break',
    'more > LONGEST → more >= LONGEST',
  ),
]
