import { quoteBytes } from './quote-bytes.ts'

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

const SIZES: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
])
const LONGEST = 2n ** 63n

/** As long as 64 bits can say. */
export const nearestDuration = (nanoseconds: bigint): bigint =>
  nanoseconds < -LONGEST ? -LONGEST : nanoseconds >= LONGEST ? LONGEST - 1n : nanoseconds

/** time.ParseDuration. Throws with its message, which is about the first part that is wrong. */
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
    const size = SIZES.get(unit!) ?? fail(`unknown unit ${quoteBytes(unit!)} in`)
    total += BigInt(whole!) * BigInt(size) + fractionOf(fraction!, size)
    requireSize(total)
  }
  if (text.startsWith('-')) return -total
  return total < LONGEST ? total : fail('invalid')
}

/** Go counts what lies behind the point in floating point, and leaves out digits that 64 bits can't hold. */
const fractionOf = (digits: string, size: number): bigint => {
  let [value, scale] = [0n, 1]
  for (const digit of digits) {
    if (value > LONGEST / 10n) break
    value = value * 10n + BigInt(digit)
    scale *= 10
  }
  return BigInt(Math.trunc(Number(value) * (size / scale)))
}
