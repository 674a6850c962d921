/** Go's time.Duration, in nanoseconds. */
import { quoteBytes } from './quote-bytes.ts'

export const MILLISECOND = 1_000_000n
export const SECOND = 1000n * MILLISECOND
export const MINUTE = 60n * SECOND
export const HOUR = 60n * MINUTE

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', MILLISECOND],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
])
const LONGEST = 2n ** 63n

/** Clamped to 64 bits. */
export const nearestDuration = (nanoseconds: bigint): bigint =>
  nanoseconds < -LONGEST ? -LONGEST : nanoseconds >= LONGEST ? LONGEST - 1n : nanoseconds

/** time.ParseDuration: `1h30m`, `-1.5s`, `0`. Throws with Go's message for the first invalid part. */
export const parseDuration = (text: string): bigint => {
  const fail = (problem: string): never => {
    throw new Error(`time: ${problem} duration ${quoteBytes(text)}`)
  }
  const requireSize = (size: bigint): void => {
    if (size > LONGEST) fail('invalid')
  }
  const unsigned = text.replace(/^[+-]/, '')
  if (unsigned === '0') return 0n
  if (unsigned === '') fail('invalid')
  let total = 0n
  for (const [, whole, fraction, unit] of unsigned.matchAll(/(?!$)(\d*)\.?(\d*)([^\d.]*)/g)) {
    if (`${whole}${fraction}` === '') fail('invalid')
    requireSize(BigInt(whole!))
    if (unit === '') fail('missing unit in')
    const size = UNITS.get(unit!) ?? fail(`unknown unit ${quoteBytes(unit!)} in`)
    total += BigInt(whole!) * size + fractionOf(fraction!, size)
    requireSize(total)
  }
  if (text.startsWith('-')) return -total
  return total < LONGEST ? total : fail('invalid')
}

/** Go computes the fraction in floating point, and ignores digits that don't fit 64 bits. */
const fractionOf = (digits: string, size: bigint): bigint => {
  let [value, scale] = [0n, 1]
  for (const digit of digits) {
    const more = value * 10n + BigInt(digit)
    if (more > LONGEST) break
    value = more
    scale *= 10
  }
  return BigInt(Math.trunc(Number(value) * (Number(size) / scale)))
}

const LARGE_UNITS: readonly (readonly [string, bigint])[] = [
  ['h', HOUR],
  ['m', MINUTE],
]
/** Units of durations below a second, by number of fractional digits. */
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
  if (rest < SECOND) {
    const [unit, digits] = SMALL_UNITS.find(([, power]) => rest >= 10n ** BigInt(power))!
    return sign + decimal(rest, digits) + unit
  }
  let text = ''
  for (const [unit, size] of LARGE_UNITS) {
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
