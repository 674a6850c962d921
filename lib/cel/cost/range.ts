/** From the least to the most that a size or a cost may be. Sums and products end at 2^64, as where they are 64 bits wide. */
export interface Range {
  readonly min: number
  readonly max: number
}

const most = 2 ** 64

const bounded = (value: number): number => Math.min(value, most)

export const exactly = (value: number): Range => ({ min: value, max: value })
export const unknown: Range = { min: 0, max: most }

export const plus = (...ranges: readonly Range[]): Range =>
  ranges.reduce((sum, { min, max }) => ({ min: bounded(sum.min + min), max: bounded(sum.max + max) }), exactly(0))

/** Nothing, times whatever, is nothing. */
export const times = (a: Range, b: Range): Range => ({ min: bounded(a.min * b.min), max: bounded(a.max * b.max) })

/** By a factor, rounded up. */
export const scaled = ({ min, max }: Range, factor: number): Range => ({
  min: bounded(Math.ceil(min * factor)),
  max: bounded(Math.ceil(max * factor)),
})

/** One or the other. */
export const either = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) })
