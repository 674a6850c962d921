/** Bounds of what is read, in bytes. */
export interface HelmLimits {
  readonly maxIndexBytes: number
  readonly maxChartBytes: number
  readonly maxChartFileBytes: number
  /** Of a chart that is unpacked. */
  readonly maxUnpackedBytes: number
  /** How many files a chart holds. */
  readonly maxEntries: number
  /** Charts within charts. */
  readonly maxDepth: number
}

/** The first three are source-controller's; Helm itself has no such bounds as the others. */
export const helmLimits: HelmLimits = {
  maxIndexBytes: 50 << 20,
  maxChartBytes: 10 << 20,
  maxChartFileBytes: 5 << 20,
  maxUnpackedBytes: 100 << 20,
  maxEntries: 20_000,
  maxDepth: 10,
}
