/** Bounds of what is read, in bytes: those of source-controller. */
export const helmLimits = {
  maxIndexBytes: 50 << 20,
  maxChartBytes: 10 << 20,
  maxChartFileBytes: 5 << 20,
  /** Unpacked, and how many files; Helm itself has no such bounds. */
  maxUnpackedBytes: 100 << 20,
  maxEntries: 20_000,
  /** Charts within charts. */
  maxDepth: 10,
}
