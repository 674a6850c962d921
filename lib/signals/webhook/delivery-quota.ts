import type { QuotaUse } from '../../platform/ports/deliveries.ts'

/** How many calls of a Receiver are recorded. */
export interface Quota {
  /** At once. */
  readonly burst: number
  readonly perWeek: number
}

const weekMs = 7 * 24 * 60 * 60_000

/** So at most 1,500 deliveries of verified senders and 300 others per Receiver are kept at a time. */
export const quotas: Readonly<Record<keyof QuotaUse, Quota>> = {
  verified: { burst: 500, perWeek: 1000 },
  refused: { burst: 100, perWeek: 200 },
}

/**
 * The use of a quota after one more call, given that before: undefined if the call exceeds it. Both are times up to
 * which the quota is used (generic cell rate algorithm), so that the last record is all that a process must know.
 */
export const useAfter = ({ burst, perWeek }: Quota, used: number, now: number): number | undefined => {
  const intervalMs = weekMs / perWeek
  const next = Math.max(used, now) + intervalMs
  return next - now <= burst * intervalMs ? Math.round(next) : undefined
}
