/** Runs by the hour. Pure. */

export interface RunHour {
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly total: number
  readonly failed: number
}

const hourMs = 3_600_000

/** The last `hours` hours, the current one included, the oldest first. */
export const runsByHour = (
  runs: readonly { readonly startedAt: string; readonly result: string }[],
  now: number,
  hours: number,
): readonly RunHour[] => {
  const current = Math.floor(now / hourMs)
  const bars = Array.from({ length: hours }, (_, at) => ({
    from: (current - hours + 1 + at) * hourMs,
    total: 0,
    failed: 0,
  }))
  for (const { startedAt, result } of runs) {
    const bar = bars[Math.floor(Date.parse(startedAt) / hourMs) - current + hours - 1]
    if (!bar) continue
    bar.total += 1
    if (result === 'Failed' || result === 'Stalled') bar.failed += 1
  }
  return bars
}
