/** Go's time.Duration, in nanoseconds. */

const UNITS: readonly (readonly [string, bigint])[] = [
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
]
const SMALL_UNITS: readonly (readonly [string, number])[] = [
  ['ms', 6],
  ['µs', 3],
  ['ns', 0],
]

/** As Duration.String: 1h0m0s, 1.5s, 20ms. */
export const durationText = (nanoseconds: bigint): string => {
  if (nanoseconds === 0n) return '0s'
  const sign = nanoseconds < 0n ? '-' : ''
  let rest = nanoseconds < 0n ? -nanoseconds : nanoseconds
  if (rest < 1_000_000_000n) {
    const [unit, digits] = SMALL_UNITS.find(([, power]) => rest >= 10n ** BigInt(power))!
    return sign + decimal(rest, digits) + unit
  }
  let text = ''
  for (const [unit, size] of UNITS) {
    if (rest >= size || text !== '') text += `${rest / size}${unit}`
    rest %= size
  }
  return `${sign}${text}${decimal(rest, 9)}s`
}

/** value / 10^digits without trailing zeros. */
const decimal = (value: bigint, digits: number): string => {
  const power = 10n ** BigInt(digits)
  const fraction = String(value % power)
    .padStart(digits, '0')
    .replace(/0+$/, '')
  return `${value / power}${fraction && `.${fraction}`}`
}

const SIZES: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
}

/** time.ParseDuration; undefined where it fails. */
export const parseDuration = (text: string): bigint | undefined => {
  if (/^[+-]?0$/.test(text)) return 0n
  if (!/^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined
  let total = 0n
  for (const [, whole, fraction, unit] of text.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const size = SIZES[unit!]!
    total += BigInt(whole!) * BigInt(size) + fractionOf(fraction!, size)
  }
  if (text.startsWith('-')) total = -total
  return BigInt.asIntN(64, total) === total ? total : undefined
}

/** Go counts what lies behind the point in floating point, and leaves out digits that 64 bits can't hold. */
const fractionOf = (digits: string, size: number): bigint => {
  let [value, scale] = [0n, 1]
  for (const digit of digits) {
    if (value > 2n ** 63n / 10n) break
    value = value * 10n + BigInt(digit)
    scale *= 10
  }
  return BigInt(Math.trunc(Number(value) * (size / scale)))
}
