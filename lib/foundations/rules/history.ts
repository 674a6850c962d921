import { formatDuration } from '../kinds/duration.ts'
import type { Snapshot } from '../kinds/kustomization.ts'
import { timestamp } from './conditions.ts'

export interface Attempt {
  /** Digest of the build. */
  readonly digest: string
  /** The result, as the reason of Ready. */
  readonly status: string
  /** Milliseconds since the epoch. */
  readonly endedAt: number
  readonly durationMs: number
  readonly metadata?: Readonly<Record<string, string>>
}

const maxHistoryEntries = 5

/** Adds an attempt to the history, newest first: an attempt with the same build and result increments the counter (KS-324). */
export const withAttempt = (history: readonly Snapshot[], attempt: Attempt): readonly Snapshot[] => {
  const isSame = (entry: Snapshot): boolean =>
    entry.digest === attempt.digest && entry.lastReconciledStatus === attempt.status
  const before = history.find(isSame)
  const at = timestamp(attempt.endedAt)
  const snapshot: Snapshot = {
    digest: attempt.digest,
    firstReconciled: before?.firstReconciled ?? at,
    lastReconciled: at,
    lastReconciledDuration: formatDuration(attempt.durationMs),
    lastReconciledStatus: attempt.status,
    totalReconciliations: (before?.totalReconciliations ?? 0) + 1,
    ...(attempt.metadata && { metadata: attempt.metadata }),
  }
  return [snapshot, ...history.filter(entry => !isSame(entry))].slice(0, maxHistoryEntries)
}
