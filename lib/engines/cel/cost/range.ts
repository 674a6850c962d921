/** The minimum and maximum of a size. Sums and products saturate at 2^64, as in 64-bit arithmetic. */
export interface Range {
  readonly min: number
  readonly max: number
}

const maxUint64 = 2 ** 64

/** A number of uint64, the largest one for all beyond it. */
export const bounded = (value: number): number => Math.min(value, maxUint64)

/** The range of a known size. */
export const exactly = (value: number): Range => ({ min: value, max: value })
export const unknown: Range = { min: 0, max: maxUint64 }

/** The range of the sum. */
export const plus = (a: Range, b: Range): Range => ({ min: bounded(a.min + b.min), max: bounded(a.max + b.max) })

/** Zero times anything, even unknown, is zero. */
export const times = (a: Range, b: Range): Range => ({ min: bounded(a.min * b.min), max: bounded(a.max * b.max) })

/** The range that covers both. */
export const either = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) })

/** The same if both are known. */
export const eitherIfKnown = (a: Range | undefined, b: Range | undefined): Range | undefined => a && b && either(a, b)
