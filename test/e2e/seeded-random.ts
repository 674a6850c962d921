/** Chance that repeats itself: equal seeds give equal sequences. */
export interface SeededRandom {
  /** A whole number from 0 to below the bound. */
  below(bound: number): number
  pick<T>(items: readonly T[]): T
}

/** Mulberry32: small, and even enough for tests. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }
  return { below, pick: items => items[below(items.length)]! }
}
