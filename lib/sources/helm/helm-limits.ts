/** Limits for input, in bytes. */
export interface HelmLimits {
  readonly maxIndexBytes: number
  readonly maxChartBytes: number
  readonly maxChartFileBytes: number
  /** Of an unpacked chart. */
  readonly maxUnpackedBytes: number
  /** Files per chart. */
  readonly maxEntries: number
  /** Nesting of charts. */
  readonly maxDepth: number
}

/** The first three are source-controller's; Helm has no equivalent of the others. */
export const helmLimits: HelmLimits = {
  maxIndexBytes: 50 << 20,
  maxChartBytes: 10 << 20,
  maxChartFileBytes: 5 << 20,
  maxUnpackedBytes: 100 << 20,
  maxEntries: 20_000,
  maxDepth: 10,
}
