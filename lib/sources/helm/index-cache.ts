import type { ChartIndex } from './index-file.ts'

export interface IndexCacheOptions {
  /** Maximum number of indexes; 0 disables the cache. */
  readonly maxSize: number
  /** Time to live after the last use, in milliseconds. */
  readonly ttlMs: number
  /** Interval between purges of expired entries, in milliseconds. */
  readonly purgeIntervalMs: number
}

/** Parsed indexes by artifact, so that a thousand charts of one repository parse it once. */
export interface IndexCache {
  /** Extends the life of the returned entry. */
  get(path: string): ChartIndex | undefined
  /** False if the cache is full: as in Flux, nothing is evicted. */
  set(path: string, index: ChartIndex): boolean
}

/** An empty cache, with the settings of source-controller's (`--helm-cache-max-size` and so on). */
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
