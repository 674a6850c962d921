import type { ChartIndex } from './index-file.ts'

export interface IndexCacheOptions {
  /** Number of indexes that are kept; 0 keeps none. */
  readonly maxSize: number
  /** How long an index is kept after its last use, in milliseconds. */
  readonly ttlMs: number
  /** How often expired ones are looked for, in milliseconds. */
  readonly purgeIntervalMs: number
}

/** Parsed indexes by the artifact that they were read from, so that a thousand charts of one repository parse it once. */
export interface IndexCache {
  /** Refreshes the life of what it finds. */
  get(path: string): ChartIndex | undefined
  /** False when the cache is full: nothing is put out for it, as in Flux. */
  set(path: string, index: ChartIndex): boolean
}

export const indexCache = (
  { maxSize, ttlMs, purgeIntervalMs }: IndexCacheOptions,
  clock: { now(): number },
): IndexCache => {
  const kept = new Map<string, { readonly index: ChartIndex; readonly until: number }>()
  let purgedAt = clock.now()

  const purge = (): void => {
    const now = clock.now()
    if (now - purgedAt < purgeIntervalMs) return
    purgedAt = now
    for (const [path, { until }] of kept) if (until <= now) kept.delete(path)
  }

  return {
    get(path) {
      purge()
      const found = kept.get(path)
      if (!found || found.until <= clock.now()) return undefined
      kept.set(path, { ...found, until: clock.now() + ttlMs })
      return found.index
    },
    set(path, index) {
      if (maxSize === 0) return true
      purge()
      if (!kept.has(path) && kept.size >= maxSize) return false
      kept.set(path, { index, until: clock.now() + ttlMs })
      return true
    },
  }
}
