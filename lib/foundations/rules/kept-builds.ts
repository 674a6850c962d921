/** Which manifests of a unit are kept for an undo. Pure; times are in milliseconds since the epoch. */

/** Manifests that a successful run has applied. */
export interface KeptBuild {
  readonly digest: string
  readonly revision: string
  /** When they were first applied, after others. */
  readonly appliedAt: number
}

export interface KeepLimits {
  /** How many are kept, of which the first is what is applied. */
  readonly count: number
  /** How long they are kept after others have replaced them, in milliseconds. */
  readonly ttlMs: number
}

/** The list after a successful run, newest first. The first one is applied: it has no age. */
export const withApplied = (
  kept: readonly KeptBuild[],
  applied: KeptBuild,
  limits: KeepLimits,
): readonly KeptBuild[] => {
  const [newest] = kept
  const list =
    newest?.digest === applied.digest ? kept : [applied, ...kept.filter(({ digest }) => digest !== applied.digest)]
  return stillKept(list, limits, applied.appliedAt)
}

/** Those that are not too many, nor replaced for too long. */
export const stillKept = (
  kept: readonly KeptBuild[],
  { count, ttlMs }: KeepLimits,
  now: number,
): readonly KeptBuild[] => kept.filter((_, at) => at < count && (at === 0 || now - kept[at - 1]!.appliedAt < ttlMs))
